"""The jars of brokers, Kafka Streams and MirrorMaker, resolved from Maven once per version and kept in the cache."""

from __future__ import annotations

from pathlib import Path

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

#: Every broker version that kwitness is tested with, oldest first.
KAFKA_VERSIONS = ("3.7.2", "3.9.2", "4.1.2", "4.3.1")
#: Those between them, for the few tests that hang on what a version changed: 4.2 begins with exporters.
VERSIONS_BETWEEN = ("4.0.2", "4.2.1")

_PROJECTS = Path(__file__).resolve().parents[4]
_POMS = _PROJECTS / "kafka"
_STREAMS = _PROJECTS / "kafka-streams" / "pom.xml"
_MIRROR = _PROJECTS / "kafka-mirror" / "pom.xml"


def pom(version: str) -> Path:
    """The Maven project that names the jars of a Kafka broker.

    Parameters
    ----------
    version
        One of `KAFKA_VERSIONS` or `VERSIONS_BETWEEN`.

    Raises
    ------
    ValueError
        There is no Maven project for the version.
    """
    file = _POMS / version / "pom.xml"
    if not file.is_file():
        known = ", ".join((*KAFKA_VERSIONS, *VERSIONS_BETWEEN))
        raise ValueError(f"Kafka version {version!r} is not known: use one of {known} or add {file}")
    return file


def kafka_jars(version: str) -> Path:
    """The folder with all jars of a Kafka broker.

    Parameters
    ----------
    version
        One of `KAFKA_VERSIONS` or `VERSIONS_BETWEEN`.

    Raises
    ------
    ValueError
        There is no Maven project for the version.
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return _resolved(pom(version), f"kafka/{version}")


def streams_jars() -> Path:
    """The folder with the jars of a Kafka Streams application of the newest version.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return _resolved(_STREAMS, f"kafka-streams/{KAFKA_VERSIONS[-1]}")


def mirror_jars() -> Path:
    """The folder with the jars of MirrorMaker of the newest version.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return _resolved(_MIRROR, f"kafka-mirror/{KAFKA_VERSIONS[-1]}")


def _resolved(project: Path, name: str) -> Path:
    def resolve(home: Path) -> None:
        # A failed try is remembered by Maven for a day; -U asks again.
        command = [
            "mvn",
            "-U",
            "-q",
            "-B",
            "-f",
            str(project),
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
        ]
        run([*command, f"-DoutputDirectory={home}"])

    return cached_folder(name, content_key(project), resolve)
