"""What a decision does beside children and statuses. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kwitness.contracts.envelopes import ClusterSubscriptions, Directives
from kwitness.operator.model.cluster_description import WantedTopic
from kwitness.operator.model.store import Key

__all__ = [
    "ApplyAlone",
    "AskInventory",
    "CreateTopics",
    "Delete",
    "GrowClaim",
    "Remember",
    "TellInterceptors",
    "TellObservers",
    "TellSubscriptions",
    "Telling",
]


@dataclass(frozen=True, slots=True)
class TellObservers:
    """Directives for all observers of one ObserverDeployment, by way of the TelemetryCollector that they report to.

    ``authority`` is PEM text by which the collector's certificate is judged, None for the system's.
    """

    observers: Key
    collector: Key
    encrypted: bool
    authority: str | None
    directives: Directives


@dataclass(frozen=True, slots=True)
class TellSubscriptions:
    """Likewise what clients are asked for, for observers that answer their telemetry in the brokers' place."""

    observers: Key
    collector: Key
    encrypted: bool
    authority: str | None
    subscriptions: ClusterSubscriptions


@dataclass(frozen=True, slots=True)
class TellInterceptors:
    """Likewise for all processes with the interceptors of one InterceptorProfile."""

    profile: Key
    collector: Key
    encrypted: bool
    authority: str | None
    directives: Directives


Telling = TellObservers | TellSubscriptions | TellInterceptors


@dataclass(frozen=True, slots=True)
class Delete:
    """The end of the object with ``uid``, and of no later one of its name: it can be seen until its pods are gone."""

    kind: str
    key: Key
    uid: str


@dataclass(frozen=True, slots=True)
class Remember:
    """What a ConfigMap of the installation is to hold, if it is still of resource version ``version``.

    None: if there is none, or nothing in it. It is nobody's child, and outlives an uninstall.
    """

    at: Key
    version: str | None
    data: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AskInventory:
    """Have the collector of a KafkaCluster asked now what it knows: its replicas are others than before."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class GrowClaim:
    """A PersistentVolumeClaim with ``uid``, and no later one of its name, is to ask for ``size``."""

    key: Key
    uid: str
    size: str


@dataclass(frozen=True, slots=True)
class CreateTopics:
    """Topics that are missing on the Kafka cluster with ``cluster_id``, to which a KafkaCluster with ``uid`` leads."""

    cluster: Key
    uid: str
    cluster_id: str
    topics: tuple[WantedTopic, ...]


@dataclass(frozen=True, slots=True)
class ApplyAlone:
    """A child that may be refused without harm to the others."""

    body: dict[str, Any]
