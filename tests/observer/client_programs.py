"""Programs on client libraries that others wrote, made ready by the usual package managers and kept in the cache."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.e2e.binaries import GoCommand, built
from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run
from kwitness.images.image_parts import REPOSITORY, site_packages
from kwitness.sandbox.waiting import communicate

from tests.soak import SOAKS

CLIENTS: Final = Path(__file__).with_name("clients")
NEWEST: Final = "4.3.1"
OLDEST: Final = "3.7.2"
CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
ACKS: Final = ("all", "1", "0")
SMALL_JVM: Final = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


Software = tuple[str | None, str | None]
UNNAMED: Final[Software] = None, None


@dataclass(frozen=True)
class Counts:
    """What a program says of itself."""

    acknowledged: int
    """Records that a broker confirmed."""
    unconfirmed: int
    """Records sent with acks=0."""
    consumed: int
    """Places, each a partition and an offset, that it read."""


@dataclass(frozen=True)
class Client:
    """A program on a client library, as README.md in `clients` describes it."""

    name: str
    """Library and version; also the client id and the topic."""
    software: frozenset[Software]
    """Names and versions that connections have; without a name is one on which the library does not tell it."""
    command: Callable[[], Sequence[str | Path]]
    """Makes it ready and says how it is started."""
    environment: Callable[[], Mapping[str, str]] = dict
    codecs: Sequence[str] = CODECS

    @property
    def ways(self) -> list[str]:
        """Every codec with every number of acknowledgements; outside of a soak each of both at least once."""
        if SOAKS:
            return [f"{codec}:{acks}" for acks in ACKS for codec in self.codecs]
        codecs = itertools.islice(itertools.cycle(self.codecs), max(len(self.codecs), len(ACKS)))
        return [f"{codec}:{acks}" for codec, acks in zip(codecs, itertools.cycle(ACKS), strict=False)]

    def start(
        self, bootstrap: str, topic: str, records: int, ways: Sequence[str], transactional_id: str | None = None
    ) -> subprocess.Popen[str]:
        """Start it; something on its standard input ends one with no number of records, and so does the input's end."""
        command = [*map(str, self.command()), bootstrap, topic, self.name, str(records), ",".join(ways)]
        return subprocess.Popen(
            command + ([transactional_id] if transactional_id else []),
            env={**os.environ, **self.environment()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def counts(process: subprocess.Popen[str]) -> Counts:
    """Tell a program to end if it waits for that, and take what it says.

    Raises
    ------
    AssertionError
        It failed, with what it wrote.
    """
    try:
        out, errors = communicate(process, "end\n")
    finally:
        process.kill()
    assert process.returncode == 0, f"{process.args} ended with {process.returncode}: {out} {errors}"
    return Counts(**json.loads(out))


def java_classpath(sources: Path, version: str, *jars: Path) -> str:
    """The class path of a program that is compiled against the jars of one Kafka version and runs with others."""

    def make(folder: Path) -> None:
        options = ["-Xlint:all", "-Werror", "--release", "17", "-cp", f"{kafka_jars(version)}/*"]
        run(["javac", *options, "-d", folder, *sorted(sources.glob("*.java"))])

    classes = cached_folder("observer-clients/java", content_key(sources, version), make)
    return os.pathsep.join([str(classes), *(f"{folder}/*" for folder in jars)])


def node_modules() -> Path:
    """The packages of the lock in `clients/node`."""
    sources = CLIENTS / "node"
    manifests = [sources / name for name in ("package.json", "package-lock.json")]

    def make(folder: Path) -> None:
        for manifest in manifests:
            shutil.copy2(manifest, folder)
        run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], directory=folder)

    return cached_folder("observer-clients/node", content_key(*manifests), make) / "node_modules"


def kafka_clients(version: str) -> Client:
    """Kafka's own clients."""

    def command() -> Sequence[str | Path]:
        classpath = java_classpath(CLIENTS / "java", OLDEST, kafka_jars(version))
        return ["java", *SMALL_JVM, "-Dlog4j.rootLogger=ERROR", "-cp", classpath, "Client"]

    return Client(f"kafka-clients-{version}", frozenset({("apache-kafka-java", version)}), command)


def python_library(
    name: str, program: str, software: Software, lock: Path | None, codecs: Sequence[str] = CODECS
) -> Client:
    """One of Python's, from a lock; from this environment without one."""

    def environment() -> dict[str, str]:
        return {"PYTHONPATH": str(site_packages(lock))} if lock else {}

    return Client(
        name, frozenset({software}), lambda: [sys.executable, CLIENTS / "python" / program], environment, codecs
    )


CLIENTS_OF_JAVA: Final = tuple(map(kafka_clients, ("3.7.2", "3.9.2", "4.1.2", NEWEST)))
CONFLUENT_LOCK: Final = REPOSITORY / "demo/images/demo-python/locks/confluent-2.5.0.txt"
LIBRDKAFKA: Final = python_library(
    "confluent-2.16.1", "confluent.py", ("confluent-kafka-python", "2.16.1-rdkafka-2.16.0"), None
)
EVERY_CLIENT: Final = (
    *CLIENTS_OF_JAVA,
    LIBRDKAFKA,
    python_library(
        "confluent-2.5.0", "confluent.py", ("confluent-kafka-python", "2.5.0-rdkafka-2.5.0"), CONFLUENT_LOCK
    ),
    python_library(
        "kafka-python-3.0.12", "kafka_python.py", ("kafka-python", "3.0.12"), None, ("none", "gzip", "lz4", "zstd")
    ),
    python_library("aiokafka-0.14.0", "aiokafka_client.py", UNNAMED, CLIENTS / "python/aiokafka-0.14.0.txt"),
    Client(
        "franz-go-1.20.7",
        # On a further connection to a broker whose versions it knows it does not ask for them again.
        frozenset({("kgo", "v1.20.7"), UNNAMED}),
        lambda: [built(GoCommand("franz-go", CLIENTS / "franz-go")) / "franz-go"],
    ),
    Client(
        "kafkajs-2.2.4",
        frozenset({UNNAMED}),
        lambda: ["node", CLIENTS / "node/client.js"],
        lambda: {"NODE_PATH": str(node_modules()), "KAFKAJS_NO_PARTITIONER_WARNING": "1"},
        ("none", "gzip"),
    ),
)
