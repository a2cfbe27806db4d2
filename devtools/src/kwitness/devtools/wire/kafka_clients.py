"""The jars of Kafka's clients, with what their JSON converters need, resolved by Maven once for each version."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

__all__ = [
    "NEWEST",
    "OLDEST",
    "OLDEST_CLIENT",
    "PROJECT",
    "RELEASES",
    "VERSIONS",
    "clients_jar",
    "clients_jars",
    "definitions_jar",
]

OLDEST: Final = "3.9.2"
"""The last that knows every version which Kafka 4.0 removed."""
NEWEST: Final = "4.4.0"
VERSIONS: Final = (OLDEST, NEWEST)
RELEASES: Final = {"3.9": OLDEST, "4.0": "4.0.2", "4.1": "4.1.2", "4.2": "4.2.2", "4.3": "4.3.1", "4.4": NEWEST}
"""The minor releases whose brokers are known, each by its last patch: what they answer changes with minor releases."""
OLDEST_CLIENT: Final = ("2.4", "2.4.1")
"""The first whose Java clients say what they are (KIP-511)."""

PROJECT: Final = Path(__file__).resolve().parents[5] / "services/protocol/vectors"
"""The Maven project of the program that writes vectors; it compiles against either version."""


def clients_jars(version: str) -> Path:
    """The folder with kafka-clients of this version and what it needs.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """

    def resolve(home: Path) -> None:
        # A failed try is remembered by Maven for a day; -U asks again.
        maven = ["mvn", "-U", "-q", "-B", "--no-transfer-progress", "-f", str(PROJECT / "pom.xml")]
        goal = ["dependency:copy-dependencies", "-DincludeScope=runtime"]
        run([*maven, *goal, f"-Dkafka.version={version}", f"-DoutputDirectory={home}"])

    return cached_folder(f"kafka-clients/{version}", content_key(PROJECT / "pom.xml"), resolve)


def clients_jar(version: str) -> Path:
    """The jar of kafka-clients itself.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return clients_jars(version) / f"kafka-clients-{version}.jar"


def definitions_jar(version: str) -> Path:
    """The jar of kafka-clients alone, of any version: what is needed to read its message definitions.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    if version in VERSIONS:
        return clients_jar(version)

    def copy(home: Path) -> None:
        maven = ["mvn", "-U", "-q", "-B", "--no-transfer-progress", "-f", str(PROJECT / "pom.xml")]
        jar = f"-Dartifact=org.apache.kafka:kafka-clients:{version}"
        run([*maven, "dependency:copy", jar, f"-DoutputDirectory={home}"])

    return cached_folder(f"kafka-definitions/{version}", content_key(PROJECT / "pom.xml"), copy) / (
        f"kafka-clients-{version}.jar"
    )
