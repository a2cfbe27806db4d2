"""Prepares once for each Kafka version what would cost every broker seconds of a processor.

Formatted storage is copied with other ids, in place of a JVM for each broker; classes are read from an archive, already
parsed and verified (JEP 350). docs/decisions/0124 has the figures.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, kafka_jars
from kwitness.e2e.kafka.listeners import scram_arguments
from kwitness.images.cache import cached_folder, content_key
from kwitness.sandbox.java import SMALL_JVM, java_program
from kwitness.sandbox.kafka_process import KafkaProcess
from kwitness.sandbox.node_properties import node_alone, random_id
from kwitness.sandbox.ports import free_port

__all__ = ["archive_options", "classpath", "format_storage"]

_ARCHIVED_VERSION: Final = KAFKA_VERSIONS[-1]
"""Most brokers of a run have it. An archive costs some ten seconds of a processor, and each start is two cheaper."""
_RECORDS: Final = "bootstrap.checkpoint"
_ARCHIVE: Final = "classes.jsa"
_DUMPED_S: Final = 3_600
"""It writes for as long as it has to; one that hangs is ended."""


def format_storage(folder: Path, version: str, *, node_id: int, cluster_id: str, users: Mapping[str, str]) -> None:
    """Write what Kafka's storage tool writes: the ids of a node, and the first records of its cluster's metadata.

    Parameters
    ----------
    folder
        The log directory; does not exist.
    users
        Passwords of the users for SCRAM.
    """
    scram = scram_arguments(users)

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="kwitness-kafka-") as work:
            server, properties, data = _server(version, Path(work))
            server.tool("kafka.tools.StorageTool", "format", "-t", random_id(), "-c", str(properties), *scram)
            shutil.copy(data / _RECORDS, target)

    records = cached_folder(f"kafka-storage/{version}", content_key(kafka_jars(version).name, *scram), make) / _RECORDS
    folder.mkdir()
    shutil.copy(records, folder)
    ids = {"version": 1, "cluster.id": cluster_id, "node.id": node_id, "directory.id": random_id()}
    (folder / "meta.properties").write_text("".join(f"{key}={value}\n" for key, value in ids.items()))


def archive_options(version: str) -> tuple[str, ...]:
    """Options that let a virtual machine read a server's classes from an archive, if there is one for the version."""
    if version != _ARCHIVED_VERSION:
        return ()

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="kwitness-kafka-") as work:
            server, _, data = _server(version, Path(work), f"-XX:ArchiveClassesAtExit={target / _ARCHIVE}")
            format_storage(data, version, node_id=1, cluster_id=random_id(), users={})
            server.start()
            server.stop(timeout=_DUMPED_S)
            if not (target / _ARCHIVE).is_file():
                raise RuntimeError(f"Kafka {version} wrote no class archive when it ended; its log:\n{server.logs()}")

    release = Path(shutil.which(java_program()) or "").resolve().parents[1] / "release"
    key = content_key(kafka_jars(version).name, release)
    return (f"-XX:SharedArchiveFile={cached_folder(f'kafka-classes/{version}', key, make) / _ARCHIVE}",)


def classpath(version: str, *further: Path) -> list[str]:
    """The jars of a server by name, and after them others: an archive is for a class path that begins so."""
    return [*sorted(str(jar) for jar in kafka_jars(version).glob("*.jar")), *map(str, further)]


def _server(version: str, folder: Path, *options: str) -> tuple[KafkaProcess, Path, Path]:
    """A server with nothing but what it needs, its properties and its log directory."""
    listener, controller = (f"127.0.0.1:{free_port()}" for _ in range(2))
    data = folder / "data"
    properties = node_alone(listener, controller, data)
    file = folder / "server.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    server = KafkaProcess(
        name=f"Kafka {version}",
        folder=folder,
        classpath=classpath(version),
        properties=file,
        java=java_program(),
        options=(*SMALL_JVM, *options),
    )
    return server, file, data
