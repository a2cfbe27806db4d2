"""Finds the places where files name the project's version, by how each kind of file names it.

`[project] version` of `pyproject.toml` is the one place where it is chosen. Fixtures of tests and what is about the
past name versions of their own.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from kwitness.devtools.sources import tracked

__all__ = ["VersionPlace", "places_in", "rewritten", "source_version", "unruled_places", "version_places"]

_VERSION: Final = r"(?P<version>\d+\.\d+\.\d+(?:-rc\.\d+)?)"
_RULES: Final = tuple(
    (files, re.compile(before + _VERSION + after, re.MULTILINE))
    for files, before, after in (
        ("pyproject.toml", r'^\[project\]\n(?:[^\[\n].*\n)*?version = "', '"'),
        ("Cargo.toml", r'^\[(?:workspace\.)?package\]\n(?:[^\[\n].*\n)*?version = "', '"'),
        # Packages without a source are of this repository.
        ("Cargo.lock", r'^name = "kwitness-[\w-]+"\nversion = "', r'"(?!\nsource)'),
        ("Chart.yaml", r"^(?:version|appVersion): ", "$"),
        ("Chart.yaml", r"^  - name: kwitness-[\w-]+\n    version: ", "$"),
        ("version.py", r'^VERSION = "', '"'),
        # Maven's coordinates, and Gradle's.
        ("*", r"<artifactId>kwitness-[\w-]+</artifactId>\s*<version>", "<"),
        ("*", r"\bdev\.kwitness:kwitness-[\w-]+:", r"\b"),
        # Images, archives, packages and charts, as pages and manifests name them.
        ("*", r"(?<![\w-])kwitness/[a-z-]+:", r"(?![\w.-])"),
        ("*", r"(?<![\w-])(?:kubectl-)?kwitness[a-z_-]*-", r"(?=[-.](?:tar|tgz|py3|cp3|jar|crate))"),
        ("*", r"(?<![\w-])kwitness[a-z-]*(?:\[[\w,-]+\])?==", r"(?![\w.-])"),
        ("*", r"\bmake release VERSION=", r"(?![\w.-])"),
        ("*", r"oci://\S*kwitness\S*(?:[^\n\\]|\\\n)*?--version[ =]", r"(?![\w.-])"),
    )
)
_OWN_VERSIONS: Final = {"tests", "vectors", "changelog", "decisions", "CHANGELOG.md"}
"""Folders and files of examples, and of the past."""
_RULED_NAMES: Final = {files for files, _ in _RULES}
_NAME: Final = b"kwitness"
_LIKE_A_VERSION: Final = re.compile(rb"\d\.\d+\.\d")


@dataclass(frozen=True)
class VersionPlace:
    """A version in a file; ``start`` and ``end`` are offsets in its text."""

    file: PurePosixPath
    line: int
    version: str
    start: int
    end: int


def source_version(root: Path) -> str:
    """Return the version of the sources."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def version_places(root: Path) -> Iterator[VersionPlace]:
    """Yield the places in tracked files, that of `pyproject.toml` among them."""
    for file, text in _texts(root):
        yield from places_in(file, text)


def unruled_places(root: Path) -> Iterator[VersionPlace]:
    """Yield where a file seems to name the version of the sources in a way that no rule of this module knows."""
    source = source_version(root)
    version = re.escape(source)
    suspected = re.compile(
        rf"^[ \t]*[\"']?\w*(?:version|Version|VERSION)[\"']?[ \t]*[:=][ \t]*"
        rf"[\"']?v?(?P<assigned>{version})[\"']?,?[ \t]*$"
        rf"|kwitness\S*?(?<![\d.])(?P<named>{version})(?![\d.]*\d)",
        re.MULTILINE,
    )
    for file, text in _texts(root):
        if source not in text or file.name == "Cargo.lock":
            continue
        known = {place.start for place in places_in(file, text)}
        for found in suspected.finditer(text):
            start, end = found.span("assigned" if found["assigned"] else "named")
            if start not in known:
                yield VersionPlace(file, _line(text, start), text[start:end], start, end)


def places_in(file: PurePosixPath, text: str) -> list[VersionPlace]:
    """Return the places in a file, by their order."""
    spans = {found.span("version") for files, rule in _RULES if file.match(files) for found in rule.finditer(text)}
    return [VersionPlace(file, _line(text, start), text[start:end], start, end) for start, end in sorted(spans)]


def rewritten(file: PurePosixPath, text: str, version: str) -> str:
    """Return a file's text with another version in all of its places."""
    for place in reversed(places_in(file, text)):
        text = text[: place.start] + version + text[place.end :]
    return text


def _texts(root: Path) -> Iterator[tuple[PurePosixPath, str]]:
    for file in tracked(root):
        if not _OWN_VERSIONS.isdisjoint(file.parts):
            continue
        content = (root / file).read_bytes()
        if (file.name in _RULED_NAMES or _NAME in content) and _LIKE_A_VERSION.search(content):
            yield file, content.decode(errors="replace")


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
