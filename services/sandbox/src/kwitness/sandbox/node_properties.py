"""Properties of a Kafka node on one machine: small, and quick to serve its first client."""

from __future__ import annotations

import base64
import secrets
from pathlib import Path
from typing import Final

__all__ = ["JMX_REPORTER", "SMALL_NODE", "node_alone", "random_id", "reporter_class"]

JMX_REPORTER: Final = "org.apache.kafka.common.metrics.JmxReporter"
_CURRENT: Final = "dev.kwitness.broker.KwitnessReporter"
_LEGACY: Final = "dev.kwitness.broker.KwitnessLegacyReporter"

SMALL_NODE: Final = {
    "num.partitions": "1",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "3",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "3",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.dedupe.buffer.size": "8388608",
}
"""Of a cluster of one node; a larger one sets its replication factors."""


def node_alone(listener: str, controller: str, data: Path) -> dict[str, str]:
    """Properties of a broker and controller in one, with one plaintext listener.

    Parameters
    ----------
    listener, controller
        HOST:PORT of each.
    data
        The log directory.
    """
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{listener},CONTROLLER://{controller}",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "log.dirs": str(data),
    }


def reporter_class(version: str) -> str:
    """The plugin's entry class for a broker version: the exporter interface came with Kafka 4.2."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return _CURRENT if (major, minor) >= (4, 2) else _LEGACY


def random_id() -> str:
    """An id as Kafka writes UUIDs."""
    while True:
        text = base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
        if not text.startswith("-"):  # the storage tool would take it for an option
            return text
