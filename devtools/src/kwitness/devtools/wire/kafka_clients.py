"""The jars of Kafka's clients, with what their JSON converters need, resolved by Maven once for each version."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

__all__ = ["NEWEST", "OLDEST", "PROJECT", "VERSIONS", "clients_jar", "clients_jars"]

OLDEST: Final = "3.9.2"
"""The last that knows every version which Kafka 4.0 removed."""
NEWEST: Final = "4.4.0"
VERSIONS: Final = (OLDEST, NEWEST)

PROJECT: Final = Path(__file__).resolve().parents[5] / "services/wire/vectors"
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
