"""Test vectors of the crate `services/wire`, written by Kafka's own classes.

Usage: `python -m kwitness.devtools.wire.vectors`. The program compiles against each of two Kafka versions: 3.9.2 knows
the message versions that 4.0 removed, 4.4.0 all newer ones, and what both know they must encode alike.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from kwitness.devtools.wire.kafka_clients import PROJECT, VERSIONS, clients_jars
from kwitness.images.commands import run

__all__ = ["main", "write_vectors"]


def write_vectors(version: str, target: Path) -> None:
    """Write the file of vectors that the classes of one Kafka version make; the same bytes at every run.

    Raises
    ------
    CommandFailedError
        The program did not compile, or failed; its output is in the message.
    """
    jars = f"{clients_jars(version)}/*"
    with tempfile.TemporaryDirectory() as classes:
        sources = sorted(str(path) for path in PROJECT.glob("src/main/java/**/*.java"))
        run(["javac", "-Xlint:all", "-Werror", "--release", "17", "-cp", jars, "-d", classes, *sources])
        run(["java", "-cp", f"{classes}:{jars}", "dev.kwitness.wire.Vectors", str(target)])


def main() -> None:
    """Write the files of all versions."""
    for version in VERSIONS:
        target = PROJECT / f"kafka-{version}.jsonl.gz"
        write_vectors(version, target)
        print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
