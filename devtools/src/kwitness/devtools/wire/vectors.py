"""Test vectors of the crate `services/protocol`, written by Kafka's own classes.

Usage: `python -m kwitness.devtools.wire.vectors`. The program compiles against each of two Kafka versions: 3.9.2 knows
the message versions that 4.0 removed, 4.4.0 all newer ones, and what both know they must encode alike. Records are
written by 3.9.2 alone, in all three formats.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from kwitness.devtools.wire.kafka_clients import OLDEST, PROJECT, VERSIONS, clients_jars
from kwitness.images.commands import run

__all__ = ["main", "write_record_vectors", "write_vectors"]


def write_vectors(version: str, target: Path) -> None:
    """Write the file of messages that the classes of one Kafka version make; the same bytes at every run.

    Raises
    ------
    CommandFailedError
        The program did not compile, or failed; its output is in the message.
    """
    _write("main", "Vectors", version, target)


def write_record_vectors(target: Path) -> None:
    """Write the file of records; the same bytes at every run.

    Raises
    ------
    CommandFailedError
        The program did not compile, or failed; its output is in the message.
    """
    _write("records", "RecordVectors", OLDEST, target)


def _write(sources: str, program: str, version: str, target: Path) -> None:
    jars = f"{clients_jars(version)}/*"
    with tempfile.TemporaryDirectory() as classes:
        files = sorted(str(path) for path in PROJECT.glob(f"src/{sources}/java/**/*.java"))
        run(["javac", "-Xlint:all", "-Werror", "--release", "17", "-cp", jars, "-d", classes, *files])
        run(["java", "-cp", f"{classes}:{jars}", f"dev.kwitness.wire.{program}", str(target)])


def main() -> None:
    """Write the files of all versions."""
    targets = {version: PROJECT / f"kafka-{version}.jsonl.gz" for version in VERSIONS}
    for version, target in targets.items():
        write_vectors(version, target)
    records = PROJECT / f"records-{OLDEST}.jsonl.gz"
    write_record_vectors(records)
    for target in (*targets.values(), records):
        print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
