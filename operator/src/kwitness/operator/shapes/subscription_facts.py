"""What a cluster's subscriptions are decided from: what is on its brokers, who is connected, what is left there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kwitness.contracts.envelopes import SubscriptionState
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.observed_software import ObservedSoftware
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Fact

__all__ = [
    "AskedCollector",
    "BrokerConfigs",
    "BrokerWrites",
    "CleanedUp",
    "ClientSightings",
    "CompleteNames",
    "Deleted",
    "KnownId",
    "SetConfigs",
    "Sightings",
    "WriteRecord",
    "WriteResult",
]


@dataclass(frozen=True, slots=True)
class SetConfigs:
    """CLIENT_METRICS configs by name, each with the values that are set on it.

    ``refused`` says why they may not be read, or are not known to these brokers; None if they were read.
    """

    configs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    refused: OperatorError | None = None


@dataclass(frozen=True, slots=True)
class BrokerConfigs(Fact[SetConfigs]):
    """What the brokers of a KafkaCluster ask clients for: as it was read last, and as we have written it since."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class WriteResult:
    """How the last write of a broker config ended: ``error`` None for well. ``target`` None was a removal."""

    target: Mapping[str, str] | None
    error: OperatorError | None


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """By name, how writes ended; ``at_ms`` is when the last request did and ``failure`` why it failed as a whole.

    ``failures`` counts requests one after the other of which something may go well another time. ``applied`` has hashes
    by name of configs that were as they should be when they were read last: what differs since was changed by others.
    """

    results: Mapping[str, WriteResult] = field(default_factory=dict)
    failure: OperatorError | None = None
    at_ms: int = 0
    failures: int = 0
    applied: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BrokerWrites(Fact[WriteRecord]):
    """What became of our writes to the brokers of a KafkaCluster."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class ClientSightings:
    """Software that a subscription might crash, and the collector's numbers by broker name.

    ``unknown`` says why it is not known who is connected now, and what to do; None when it is.
    """

    software: tuple[ObservedSoftware, ...] = ()
    unknown: str | None = None
    verdict: Verdict | None = None
    numbers: Mapping[str, SubscriptionState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sightings(Fact[ClientSightings]):
    """What is known of the clients of a KafkaCluster, from its collector and from memory."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class AskedCollector(Fact[None]):
    """When the collector of a KafkaCluster was asked last; what it said is in `Sightings`."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class CleanedUp(Fact[frozenset[str]]):
    """Broker configs that were removed behind a deleted KafkaCluster: awaited while that goes on."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class Deleted(Fact[frozenset[Key]]):
    """Resources of a kind that this process saw deleted, and of which something may be left elsewhere."""

    kind: str


@dataclass(frozen=True, slots=True)
class CompleteNames(Fact[frozenset[str]]):
    """Names of all ClientMetricsSubscriptions of a namespace; None if it is not certain that these are all."""

    namespace: str


@dataclass(frozen=True, slots=True)
class KnownId(Fact[str]):
    """The id of the Kafka cluster that a KafkaCluster led to when this process looked; None if it has not."""

    cluster: Key
