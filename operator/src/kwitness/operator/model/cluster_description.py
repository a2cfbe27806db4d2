"""A Kafka cluster as its brokers describe it, and a topic as it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kwitness.operator.model.broker_listeners import BrokerListener
from kwitness.operator.model.errors import OperatorError

__all__ = ["TOPIC_CONFIGS", "BrokerDescription", "ClusterDescription", "TopicDescription", "WantedTopic"]

TOPIC_CONFIGS: Final = ("cleanup.policy", "retention.ms", "min.insync.replicas")
"""What is set on topics that are created, and read of those that exist."""


@dataclass(frozen=True, slots=True)
class BrokerDescription:
    """One broker as metadata shows it; ``telemetry`` None means that it could not be asked.

    ``listeners`` are those of the names that were asked for; None where it did not tell.
    """

    id: int
    host: str
    port: int
    rack: str | None
    telemetry: bool | None
    listeners: tuple[BrokerListener, ...] | None = None


@dataclass(frozen=True, slots=True)
class TopicDescription:
    """A topic that exists; ``configs`` are those of `TOPIC_CONFIGS`, none of them where they may not be described."""

    partitions: int
    replication_factor: int
    configs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WantedTopic:
    """A topic to create if it is missing; ``configs`` are topic configs."""

    name: str
    partitions: int
    replication_factor: int
    configs: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """Everything a KafkaCluster's reconcile needs to know.

    ``lower_bound`` is the oldest version with the APIs that were advertised, such as ``4.3``. ``topics`` holds those of
    the names that were asked for and exist, ``hidden_topics`` those of which the operator may not know whether they do.
    ``subscriptions`` holds every CLIENT_METRICS resource's configs; ``refused`` says why the operator cannot read or
    write them, None where it can.
    """

    cluster_id: str
    brokers: tuple[BrokerDescription, ...]
    lower_bound: str
    topics: Mapping[str, TopicDescription]
    subscriptions: Mapping[str, Mapping[str, str]]
    refused: OperatorError | None = None
    hidden_topics: frozenset[str] = frozenset()
