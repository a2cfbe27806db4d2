"""Questions whose answers decisions are made from, each with the type of its answer.

A fact is a value, so it can be asked once for all who need it, and whoever needs it can be woken when its answer
changes. Where answers come from is the engine's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from kwitness.contracts.envelopes import ClusterState, DriverStatus, PodPlace
from kwitness.contracts.owners import OwnerSource
from kwitness.operator.model.broker_listeners import BrokerListener
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.declared_owners import DeclaredEntries
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.pod_marks import PodMarks
from kwitness.operator.model.pod_starts import PodStart
from kwitness.operator.model.refusals import Refusal
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import CreateTopics, GrowClaim
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = [
    "Answer",
    "Applied",
    "AskedFor",
    "Attempt",
    "Body",
    "BrokersSeen",
    "ClusterKnowledge",
    "CollectorAnswer",
    "CollectorReport",
    "DeclaredOwners",
    "DriverAnswer",
    "EnabledNamespaces",
    "Ending",
    "Every",
    "Fact",
    "HeldBack",
    "InterceptedStarts",
    "Inventory",
    "KafkaState",
    "Labelled",
    "Labels",
    "LivePods",
    "NamedObject",
    "PodAddresses",
    "Referring",
    "Refusals",
    "Reported",
    "RunningPods",
    "SameKafka",
    "TopicsCreated",
    "Watched",
]

T = TypeVar("T")

Body = dict[str, Any]
"""An object as the API server sent it; nobody changes one."""


class Fact(Generic[T]):
    """A hashable question with an answer of type ``T``."""

    __slots__ = ()

    of_brokers: ClassVar[bool] = False
    """Whether Kafka's brokers are asked, who may take minutes: it has a queue of its own, and is given up once nobody
    needs it any more."""


class Ending(Fact[T]):
    """How something ended that was tried while this was needed: never asked for, and told by whoever tries it.

    ``at_ms`` of the answer is 0 where it was not tried, or has not ended.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What is known: ``value`` as it was found last, and beside it why the latest attempt failed, if it did.

    ``at_ms`` is when the latest attempt ended, in milliseconds since 1970.
    """

    value: T | None
    at_ms: int
    failure: OperatorError | None = None


@dataclass(frozen=True, slots=True)
class Watched(Fact[Body]):
    """One of our resources; None if there is none."""

    kind: str
    key: Key


@dataclass(frozen=True, slots=True)
class Referring(Fact[tuple[Body, ...]]):
    """Our resources of a kind that name a KafkaCluster in ``spec.clusterRef``, permitted or not, by key."""

    kind: str
    cluster: Key


@dataclass(frozen=True, slots=True)
class Every(Fact[tuple[Body, ...]]):
    """All our resources of a kind, by key."""

    kind: str


@dataclass(frozen=True, slots=True)
class ClusterKnowledge:
    """What is known of a Kafka cluster, from this process's last look, or else from the KafkaCluster's status.

    ``trouble`` says why it could not be reached, None when all is well. ``authority`` is who signs the brokers'
    certificates, PEM text of certificates alone; None where the system's count, or while this process does not know.
    ``listeners`` are those of spec.listeners, of each broker that could be asked; None where none could. ``addresses``
    are node id, host and port of brokers, as clients of spec.bootstrapServers find them.
    """

    cluster_id: str | None
    node_ids: tuple[int, ...]
    trouble: str | None
    authority: str | None = None
    listeners: tuple[BrokerListener, ...] | None = None
    addresses: tuple[tuple[int, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class KafkaState(Fact[ClusterKnowledge]):
    """What is known of a KafkaCluster's Kafka cluster: awaited until it was looked at, None if there is none."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class BrokersSeen(Fact[ClusterDescription]):
    """What the brokers of a KafkaCluster say, which is that with ``uid`` at ``generation``.

    Raises why they cannot be looked at, or lead to
    another Kafka cluster; then that is what is known of the cluster for all others as well.
    """

    of_brokers: ClassVar[bool] = True

    cluster: Key
    uid: str
    generation: int

    @classmethod
    def of(cls, body: Body) -> BrokersSeen:
        """Those of a KafkaCluster as it is now."""
        subject = Subject.of(body)
        return cls(subject.key, subject.uid, subject.generation)


@dataclass(frozen=True, slots=True)
class SameKafka(Fact[tuple[Key, ...]]):
    """KafkaClusters that lead to the Kafka cluster with that id, sorted."""

    cluster_id: str


@dataclass(frozen=True, slots=True)
class CollectorReport:
    """``verdict`` tells whether the collector answers, None while it was not asked; ``last`` is its last whole answer.

    None while it has given none, or no collector is there to give one.
    """

    verdict: Verdict | None = None
    last: ClusterState | None = None


@dataclass(frozen=True, slots=True)
class Reported(Fact[CollectorReport]):
    """How asking the collector of a KafkaCluster ended."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class HeldBack(Fact[tuple[str, ...]]):
    """Names of subscriptions that stay on the brokers of a KafkaCluster though their resources want them no longer."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class Inventory(Fact[ClusterState]):
    """What the collector that acts for a KafkaCluster says; None while it says nothing."""

    cluster: Key


@dataclass(frozen=True, slots=True)
class CollectorAnswer(Fact[ClusterState]):
    """The report of a TelemetryCollector that acts for its own namespace; None while it is silent."""

    collector: Key
    cluster: Key


@dataclass(frozen=True, slots=True)
class AskedFor(Fact[tuple[BrokerSubscription, ...]]):
    """What clients of a KafkaCluster are asked for, ours and foreign, by its brokers or by observers in their place.

    None while this process has not found it out.
    """

    cluster: Key


@dataclass(frozen=True, slots=True)
class NamedObject(Fact[Body]):
    """One object of Kubernetes, read by name; None if there is none."""

    kind: str
    key: Key


@dataclass(frozen=True, slots=True)
class Labelled(Fact[tuple[Body, ...]]):
    """Objects of a kind in a namespace that have ``labels``, by name; without ``managedFields``."""

    kind: str
    namespace: str
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LivePods(Fact[tuple[str, ...]]):
    """Names of the pods with ``labels`` that have not ended, also of those that are being deleted."""

    namespace: str
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DriverAnswer(Fact[DriverStatus]):
    """What the driver of an AnalyticsJob says of itself; None while it says nothing that can be read."""

    job: Key


@dataclass(frozen=True, slots=True)
class Labels(Fact[Mapping[str, str]]):
    """Labels of a namespace; None if it cannot be read or is not there."""

    namespace: str


@dataclass(frozen=True, slots=True)
class DeclaredOwners(Fact[DeclaredEntries]):
    """Owners that objects of a source name under the keys of their metadata.

    KafkaUsers and KafkaTopics are those of a Kafka of Strimzi in a namespace, namespaces those that are watched.
    """

    source: OwnerSource
    team_key: str
    contact_key: str
    namespace: str = ""
    kafka: str = ""


@dataclass(frozen=True, slots=True)
class EnabledNamespaces(Fact[Mapping[str, Mapping[str, str]]]):
    """Labels by name, of the namespaces that let their pods get observers."""


@dataclass(frozen=True, slots=True)
class RunningPods(Fact[tuple[PodMarks, ...]]):
    """Pods of a namespace that have not ended."""

    namespace: str


@dataclass(frozen=True, slots=True)
class PodAddresses(Fact[tuple[PodPlace, ...]]):
    """Running pods with an address of their own, not their node's; of all namespaces where ``namespace`` is None.

    There are at most `kwitness.contracts.envelopes.MAX_CLIENT_PODS` and one more, which tells that pods are left out.
    """

    namespace: str | None


@dataclass(frozen=True, slots=True)
class InterceptedStarts(Fact[tuple[PodStart, ...]]):
    """The starts of pods with interceptors that a selector selects in a namespace; ended pods are left out."""

    namespace: str
    selector: str


@dataclass(frozen=True, slots=True)
class Refusals(Fact[Mapping[str, Refusal]]):
    """By namespace, the last time that a pod was refused there in a way that an observer in it can be the cause of."""


@dataclass(frozen=True, slots=True)
class Applied:
    """An object as it was to be, by the hash of that."""

    kind: str
    key: Key
    digest: str


@dataclass(frozen=True, slots=True)
class Attempt(Ending[OperatorError]):
    """The last attempt of something that may fail without harm: what refused it, None for nothing."""

    of: GrowClaim | Applied


@dataclass(frozen=True, slots=True)
class TopicsCreated(Ending[Mapping[str, OperatorError | None]]):
    """By topic, what the brokers refused it for, None where it is there."""

    of_brokers: ClassVar[bool] = True

    of: CreateTopics
