"""What every reconciler is given: settings, the store, the adapters, and what the others found out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from kwitness.contracts.envelopes import ClusterState, SubscriptionState
from kwitness.operator.adapters.http_json import JsonReader
from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.model.broker_listeners import BrokerListener
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.cluster_memory import ClusterMemory
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.moments import rfc3339
from kwitness.operator.model.refusals import Refusal
from kwitness.operator.model.store import Key, Store
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Fact
from kwitness.operator.shapes.subscription_facts import WriteRecord
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["Clock", "ClusterFacts", "Context", "Forsaken", "Slots"]

_SLOTS: Final = 8


class Clock:
    """The time; tests give another."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def rfc3339(self, milliseconds: int | None = None) -> str:
        """A time (now, if none is given) as Kubernetes writes it, in UTC and whole seconds."""
        return rfc3339(self.now_ms() if milliseconds is None else milliseconds)


@dataclass(slots=True)
class ClusterFacts:
    """What is known of one KafkaCluster in this process.

    ``uid`` is the KafkaCluster's. ``absent`` are deleted subscriptions that the brokers did not have at the last look.
    ``connection`` is the last one that worked; it outlives the resource by one reconcile, to clean up behind it.
    ``checked`` turns true with the first attempt to connect. ``trouble`` says why nothing may be written, None when all
    is well. ``listeners`` are those of the brokers that answered last. ``subscriptions`` None means not read yet.
    ``writes`` are how our writes of subscriptions ended. ``inventory`` is the collector's
    last answer that was whole; ``unknown`` says why it is not known who is connected now, and what to do, None when it
    is. ``offering`` are the ids of brokers whose clients may ask them for subscriptions. ``memory`` is what must not be
    forgotten, ``recalled`` whether it was read from its ConfigMap, and ``remembered`` what was last written there.
    """

    connection: KafkaConnection | None = None
    seen: ClusterDescription | None = None
    listeners: tuple[BrokerListener, ...] | None = None
    cluster_id: str | None = None
    checked: bool = False
    trouble: str | None = None
    paused: bool = False
    uid: str = ""
    subscriptions: tuple[BrokerSubscription, ...] | None = None
    writes: WriteRecord = field(default_factory=WriteRecord)
    deletion_held: tuple[str, ...] = ()
    absent: frozenset[Key] = frozenset()
    inventory: ClusterState | None = None
    unknown: str | None = "the collector has not been asked yet"
    offering: frozenset[str] = frozenset()
    memory: ClusterMemory = field(default_factory=ClusterMemory)
    recalled: bool = False
    unreadable_memory: str | None = None
    remembered: dict[str, str] | None = None
    inventory_verdict: Verdict | None = None
    subscription_states: dict[str, SubscriptionState] = field(default_factory=dict)


@dataclass(slots=True)
class Forsaken:
    """A Kafka cluster whose KafkaCluster was deleted at ``since_ms``, and what was known; ours may be left there."""

    facts: ClusterFacts
    connection: KafkaConnection
    since_ms: int
    working: bool = False


class Slots:
    """For clusters that are looked at together, half of them for those that could not be reached last time."""

    def __init__(self) -> None:
        self.others = asyncio.Semaphore(_SLOTS)
        self.of_failing = asyncio.Semaphore(_SLOTS)


@dataclass(slots=True)
class Context:
    """Per-process singletons."""

    settings: OperatorSettings
    installation: str
    store: Store
    kubernetes: Kubernetes
    kafka: KafkaAdmin
    inventory: JsonReader
    drivers: JsonReader
    enqueue: Callable[[str, Key, float], None]
    collector_url: Callable[[Key, bool], str]
    """URL of a TelemetryCollector's API from its key and whether it speaks TLS."""
    driver_url: Callable[[Key], str]
    """URL of an AnalyticsJob's driver status from the job's key."""
    told: Callable[[Fact[Any]], None]
    """Wakes whom the engine knows to need a fact that has changed."""
    ask_again: Callable[[Fact[Any]], None]
    """Has a fact asked for that is in doubt, where it is needed."""
    touched: Callable[[str, Key], None]
    """Has the engine read an object of a kind again, if anybody needs to know of it."""
    clock: Clock = field(default_factory=Clock)
    slots: Slots = field(default_factory=Slots)
    clusters: dict[Key, ClusterFacts] = field(default_factory=dict)
    forsaken: dict[Key, dict[str, Forsaken]] = field(default_factory=dict)
    """By the deleted KafkaCluster, then by the id of the cluster that it led to."""
    removed: dict[Key, set[str]] = field(default_factory=dict)
    """Names that a clean-up took off brokers, until they are written there again."""
    children_applied: dict[tuple[str, Key], tuple[str, float]] = field(default_factory=dict)
    children_touched: dict[tuple[str, Key], float] = field(default_factory=dict)
    """By resource, when somebody else last changed a child, in monotonic seconds."""
    children_watched: set[tuple[str, str | None]] = field(default_factory=set)
    """Kinds and namespaces (None: all) in which a watch tells of children now."""
    status_written: dict[tuple[str, Key], float] = field(default_factory=dict)
    event_written: dict[tuple[str, Key, str], float] = field(default_factory=dict)
    never_ready: set[tuple[str, Key]] = field(default_factory=set)
    """Resources that were new to this process and have not been Ready since."""
    refusals: dict[str, Refusal] = field(default_factory=dict)
    """By namespace, as `Refusals` has them."""

    def forget(self, kind: str, key: Key) -> None:
        """Drop what is remembered of a resource that is gone."""
        self.status_written.pop((kind, key), None)
        self.children_applied.pop((kind, key), None)
        self.children_touched.pop((kind, key), None)
        self.never_ready.discard((kind, key))
        self.kubernetes.applied.forget_children((kind, key))
        for known in [known for known in self.event_written if known[:2] == (kind, key)]:
            del self.event_written[known]
