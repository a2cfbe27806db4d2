"""Names the sources that a benchmark measures by one hash, of today's files or of those of a commit."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from typing import Final

__all__ = ["MEASURED", "measured_by", "sources_hash", "sources_hash_at"]

MEASURED: Final[dict[str, tuple[str, ...]]] = {
    "collector": ("services/collector", "services/runtime"),
    "console": ("services/console", "services/answers"),
    "interceptors_java": ("services/interceptors-java",),
    "interceptors_librdkafka": (
        "services/interceptors-librdkafka",
        "services/observation",
        "services/reporting",
    ),
    "interceptors_python": ("services/interceptors-python",),
    "observer": (
        "services/observer",
        "services/observation",
        "services/protocol",
        "services/recording",
        "services/reporting",
    ),
    "operator": ("operator", "services/runtime", "services/subscriptions"),
    "plugin": ("services/broker-plugin",),
    "spark": ("spark-jobs",),
    "spark_telemetry_rollup": ("spark-jobs", "services/otlp"),
}
"""Folders of the components that are measured, by the longest beginning of a benchmark's name."""

_SUFFIXES: Final = (".java", ".py", ".rs")
_TESTS: Final = {"test", "tests", "fuzz"}


def measured_by(benchmark: str) -> tuple[str, ...]:
    """Return the folders that a benchmark measures.

    Raises
    ------
    LookupError
        `MEASURED` has no line for it.
    """
    beginnings = [name for name in MEASURED if benchmark == name or benchmark.startswith(f"{name}_")]
    if not beginnings:
        raise LookupError(f"benchmark {benchmark} measures no component: add it to MEASURED in {Path(__file__).name}")
    return MEASURED[max(beginnings, key=len)]


def sources_hash(root: Path, folders: tuple[str, ...]) -> str:
    """Return the hash of today's files, committed or not; tests are left out."""
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders).split("\0")
    present = [name for name in listed if _is_source(name) and (root / name).is_file()]
    return _hash({name: _blob((root / name).read_bytes()) for name in present})


def sources_hash_at(root: Path, commit: str, folders: tuple[str, ...]) -> str:
    """Return what `sources_hash` would have returned at a commit."""
    lines = _git(root, "ls-tree", "-r", "-z", commit, "--", *folders).split("\0")
    blobs = {name: line.split()[2] for line, _, name in (entry.partition("\t") for entry in lines) if name}
    return _hash({name: blob for name, blob in blobs.items() if _is_source(name)})


def _is_source(name: str) -> bool:
    return name.endswith(_SUFFIXES) and _TESTS.isdisjoint(name.split("/"))


def _blob(content: bytes) -> str:
    """Return the name that git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _hash(blobs: dict[str, str]) -> str:
    lines = "".join(f"{blob} {name}\n" for name, blob in sorted(blobs.items()))
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout
