"""The jars of a Kafka broker, resolved from Maven once per version and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

#: Every broker version that kwitness is tested with, oldest first.
KAFKA_VERSIONS = ("3.7.2", "3.9.2", "4.1.2", "4.3.1")

_POMS = Path(__file__).resolve().parents[3] / "kafka"


def kafka_jars(version: str) -> Path:
    """The folder with all jars of a Kafka broker.

    The folder is keyed by the content of the Maven project, so that a changed dependency is never mixed with an old
    folder, and it appears by one rename, so that a broken download is never taken for a complete one.

    Parameters
    ----------
    version
        One of `KAFKA_VERSIONS`.

    Raises
    ------
    ValueError
        There is no Maven project for the version.
    RuntimeError
        Maven failed; its output is in the message.
    """
    pom = _POMS / version / "pom.xml"
    if not pom.is_file():
        known = ", ".join(KAFKA_VERSIONS)
        raise ValueError(f"Kafka version {version!r} is not known: use one of {known} or add {pom}")
    key = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    home = cache_folder() / "kafka" / version / key
    if not home.is_dir():
        _resolve(pom, home)
    return home


def cache_folder() -> Path:
    """Where everything that can be made again is kept: `$XDG_CACHE_HOME/kwitness`, else `~/.cache/kwitness`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kwitness"


def _resolve(pom: Path, home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=home.parent))
    try:
        command = ["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", "-DincludeScope=runtime"]
        command.append(f"-DoutputDirectory={partial}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            output = (done.stdout + done.stderr)[-4000:]
            raise RuntimeError(f"Maven could not resolve {pom}; is Maven Central reachable?\n{output}")
        partial.chmod(0o755)
        try:
            partial.rename(home)
        except OSError:
            # Another process finished first: its folder has the same content.
            if not home.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
