"""The jars for object stores that speak S3, collected by Maven, each of them the file that the lock names.

`python -m kwitness.images.s3a_jars` prints their folder; with `--lock` it writes the lock again.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

_PROJECT = Path(__file__).resolve().parents[3] / "spark-s3a"
POM = _PROJECT / "pom.xml"
#: Names of all jars with their SHA-256, as `sha256sum` writes them.
LOCK = _PROJECT / "jars.sha256"

#: Beginnings of the names of jars that Maven collects and PySpark's wheel has, in the versions that it was built with.
_IN_PYSPARK = (
    "commons-codec-",
    "commons-logging-",
    "httpclient-",
    "httpcore-",
    "netty-buffer-",
    "netty-codec-",
    "netty-common-",
    "netty-handler-",
    "netty-resolver-",
    "netty-transport-",
    "slf4j-api-",
)


class JarsDifferError(ValueError):
    """What Maven collected is not what the lock names."""


def s3a_jars() -> Path:
    """The folder with the jars that go beside Spark's own where tables are in an object store that speaks S3.

    Raises
    ------
    CommandFailedError
        Maven could not resolve them; its output is in the message.
    JarsDifferError
        A jar is missing, another one, or not in the lock.
    """

    def make(home: Path) -> None:
        _collect(home)
        require_locked(_hashes(home), _locked(LOCK.read_text(encoding="utf-8")))

    return cached_folder("s3a-jars", content_key(POM, LOCK, *_IN_PYSPARK), make)


def require_locked(found: Mapping[str, str], locked: Mapping[str, str]) -> None:
    """Compare hashes by name.

    Raises
    ------
    JarsDifferError
        Names all that differ.
    """
    if differing := sorted(name for name in found.keys() | locked.keys() if found.get(name) != locked.get(name)):
        raise JarsDifferError(f"not as {LOCK.name} has them: {', '.join(differing)}")


def _collect(home: Path) -> None:
    command = ["mvn", "-U", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    run([*command, f"-DoutputDirectory={home}"], timeout_seconds=600)
    for jar in home.iterdir():
        if jar.name.startswith(_IN_PYSPARK):
            jar.unlink()


def _hashes(home: Path) -> dict[str, str]:
    return {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in home.glob("*.jar")}


def _locked(text: str) -> dict[str, str]:
    pairs = (line.split() for line in text.splitlines() if line)
    return {name: digest for digest, name in pairs}


def _write_lock() -> None:
    home = cached_folder("s3a-jars", content_key(POM, "lock", *_IN_PYSPARK), _collect)
    lines = (f"{digest}  {name}\n" for name, digest in sorted(_hashes(home).items()))
    LOCK.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Collect the jars, or lock those that Maven collects now."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.images.s3a_jars", description=__doc__)
    parser.add_argument("--lock", action="store_true", help="write the lock again")
    if parser.parse_args().lock:
        _write_lock()
    print(s3a_jars())


if __name__ == "__main__":
    main()
