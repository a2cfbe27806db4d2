"""What a decision does beside children and statuses. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kwitness.contracts.envelopes import ClientPods, ClusterSubscriptions, ResourceDirectives
from kwitness.operator.model.cluster_description import WantedTopic
from kwitness.operator.model.store import Key
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = [
    "AlterConfigs",
    "ApplyAlone",
    "AskInventory",
    "ConfigChange",
    "CreateTopics",
    "Delete",
    "Forsake",
    "GrowClaim",
    "Remember",
    "SendClientPods",
    "ShowSubscriptions",
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
    directives: ResourceDirectives


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
    directives: ResourceDirectives


@dataclass(frozen=True, slots=True)
class SendClientPods:
    """Pods by whose addresses a TelemetryCollector attributes clients; ``authority`` as above."""

    collector: Key
    encrypted: bool
    authority: str | None
    pods: ClientPods


Telling = TellObservers | TellSubscriptions | TellInterceptors | SendClientPods


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


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What a broker config is to be, None for gone, on behalf of the resource ``key``.

    ``is_repair`` says that it puts a foreign change right; ``swept`` that the resource is gone or may not ask for it.
    """

    target: Mapping[str, str] | None
    key: Key
    is_repair: bool = False
    swept: bool = False


@dataclass(frozen=True, slots=True)
class AlterConfigs:
    """All changes of the brokers' configs in one request, while the KafkaCluster is still that with ``uid``, unpaused.

    How each ended is the fact `BrokerWrites`.
    """

    cluster: Key
    uid: str
    changes: Mapping[str, ConfigChange]


@dataclass(frozen=True, slots=True)
class ShowSubscriptions:
    """What clients of a KafkaCluster are asked for from now on, for all who need it and for its status.

    ``retained`` are broker configs that should be gone and protect clients, ``applied`` hashes by name of those that
    are as they should be. With ``if_unknown``, only if nothing has been said of that.
    """

    cluster: Key
    asked_for: tuple[BrokerSubscription, ...]
    retained: tuple[str, ...] = ()
    applied: Mapping[str, str] = field(default_factory=dict, hash=False)
    if_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Forsake:
    """What a KafkaCluster that is gone has left on its brokers is to be removed, with the last connection."""

    cluster: Key
