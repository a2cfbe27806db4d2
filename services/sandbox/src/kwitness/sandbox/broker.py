"""Runs one Kafka broker with the kwitness plugin, from a folder of jars."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from kwitness.sandbox.java import SMALL_JVM, java_program
from kwitness.sandbox.kafka_process import KafkaProcess
from kwitness.sandbox.node_properties import JMX_REPORTER, SMALL_NODE, node_alone, reporter_class
from kwitness.sandbox.ports import free_port

__all__ = ["Broker", "KafkaJars", "NoKafkaError"]


class NoKafkaError(ValueError):
    """A folder holds no Kafka that can be started."""


class KafkaJars:
    """The jars of a Kafka server and its version.

    Parameters
    ----------
    folder
        An unpacked distribution of Kafka, or a folder of its jars.

    Raises
    ------
    NoKafkaError
        The folder has no jars of a server, or one older than 3.7, which has no client telemetry.
    """

    def __init__(self, folder: Path) -> None:
        home = folder / "libs" if (folder / "libs").is_dir() else folder
        self.files = sorted(home.glob("*.jar"))
        versions = [
            found[1] for jar in self.files if (found := re.fullmatch(r"kafka_2\.\d+-(\d+\.\d+\.\d+)\.jar", jar.name))
        ]
        if not versions:
            raise NoKafkaError(
                f"{home} has no jar of a Kafka server, such as kafka_2.13-4.3.1.jar: unpack a binary release of Kafka "
                "and name its folder"
            )
        self.version = versions[0]
        if tuple(int(part) for part in self.version.split(".")[:2]) < (3, 7):
            raise NoKafkaError(
                f"{home} is Kafka {self.version}, whose brokers take no metrics from clients: use 3.7 or later"
            )


class Broker:
    """A broker and controller in one, with one plaintext listener.

    Parameters
    ----------
    folder
        Receives data, log and properties; exists.
    bootstrap
        HOST:PORT of the listener.
    plugin
        The jar of the kwitness plugin.
    settings
        The plugin's, such as `kwitness.collector.url`.
    jvm_options
        Further options of the virtual machine.
    """

    def __init__(
        self,
        folder: Path,
        jars: KafkaJars,
        *,
        cluster_id: str,
        bootstrap: str,
        plugin: Path,
        settings: Mapping[str, str],
        jvm_options: Sequence[str] = (),
    ) -> None:
        self._cluster_id = cluster_id
        properties = {
            **SMALL_NODE,
            **node_alone(bootstrap, f"127.0.0.1:{free_port()}", folder / "data"),
            "metric.reporters": f"{JMX_REPORTER},{reporter_class(jars.version)}",
            **settings,
        }
        self._properties = folder / "server.properties"
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        self._server = KafkaProcess(
            name=f"Kafka {jars.version}",
            folder=folder,
            classpath=[*(os.fspath(jar) for jar in jars.files), os.fspath(plugin)],
            properties=self._properties,
            java=java_program(),
            options=(*SMALL_JVM, *jvm_options),
        )

    @property
    def running(self) -> bool:
        """True while the process runs."""
        return self._server.running

    def start(self) -> None:
        """Format the storage, start the server and wait until it serves.

        Raises
        ------
        RuntimeError
            It did not start; the message holds the end of its log.
        """
        self._server.tool(
            "kafka.tools.StorageTool", "format", "-t", self._cluster_id, "-c", os.fspath(self._properties)
        )
        self._server.start()

    def stop(self) -> None:
        """End the server."""
        self._server.stop()
