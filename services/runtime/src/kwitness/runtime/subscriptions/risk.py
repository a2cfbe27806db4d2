"""Whether a set of subscriptions would abort the librdkafka 2.5.0 to 2.5.2 programs of a cluster.

Those versions abort the process when a client is asked for metrics and none of them is one it has
(confluentinc/librdkafka 2.5.3 release notes). What counts is the union of every subscription that reaches the client,
so removing one can make another deadly.

Selectors other than software name and version are unknown for a client of which only the broker's gauge tells. A
subscription with such a selector *could* match. Of two that could match, the one whose unknown selectors are a part
of the other's matches whenever the other does.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.runtime.subscriptions.broker_subscription import BrokerSubscription
from kwitness.runtime.subscriptions.matching import pattern_matches, requests_metric

PRODUCER_METRICS: Final = tuple(
    f"org.apache.kafka.producer.{name}"
    for name in (
        "connection.creation.rate",
        "connection.creation.total",
        "node.request.latency.avg",
        "node.request.latency.max",
        "produce.throttle.time.avg",
        "produce.throttle.time.max",
        "record.queue.time.avg",
        "record.queue.time.max",
    )
)
"""Everything a 2.5.0 to 2.5.2 producer can send."""

CONSUMER_METRICS: Final = tuple(
    f"org.apache.kafka.consumer.{name}"
    for name in (
        "connection.creation.rate",
        "connection.creation.total",
        "node.request.latency.avg",
        "node.request.latency.max",
        "coordinator.assigned.partitions",
    )
)
"""Everything a 2.5.0 to 2.5.2 consumer can send."""

ROLES: Final = (PRODUCER_METRICS, CONSUMER_METRICS)

SAFE_PREFIXES: Final = (
    "org.apache.kafka.producer.connection.creation.",
    "org.apache.kafka.consumer.connection.creation.",
)
"""Adding both to any subscription makes it harmless to both roles."""


@dataclass(frozen=True, slots=True)
class Software:
    """A client software as it announced itself (KIP-511)."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Which subscriptions may stand on the broker.

    ``held`` are candidates that must not be there; ``retained`` are ids to be deleted that must stay, because without
    them a subscription that is not ours would abort clients; ``culprits`` maps each id to the software it endangers.
    """

    held: frozenset[str]
    retained: frozenset[str]
    culprits: Mapping[str, tuple[Software, ...]]


def endangered_by(subscriptions: Iterable[BrokerSubscription], software: Software) -> frozenset[str]:
    """Ids that together would abort a client of ``software``, whatever its role; empty when the set is harmless.

    ``software`` must be of the range at risk; the caller knows (contracts hold the table of versions).
    """
    reachable = [(one, unknown) for one in subscriptions if (unknown := _unknown_selectors(one, software)) is not None]
    found: set[str] = set()
    for floor in {frozenset[tuple[str, str]](), *(unknown for _, unknown in reachable)}:
        together = [one for one, unknown in reachable if unknown <= floor]
        prefixes = {prefix for one in together for prefix in one.metrics}
        if prefixes and any(not any(requests_metric(prefixes, metric) for metric in role) for role in ROLES):
            found.update(one.id for one in together if one.metrics)
    return frozenset(found)


def _unknown_selectors(subscription: BrokerSubscription, software: Software) -> frozenset[tuple[str, str]] | None:
    """Selectors that cannot be evaluated for such a client; None when it is certain that it is not reached."""
    known = {"client_software_name": software.name, "client_software_version": software.version}
    unknown: set[tuple[str, str]] = set()
    for key, pattern in subscription.match:
        verdict = pattern_matches(pattern, known[key]) if key in known else None
        if verdict is False:
            return None
        if verdict is None:
            unknown.add((key, pattern))
    return frozenset(unknown)


def plan(
    *,
    foreign: Collection[BrokerSubscription],
    accepted: Collection[BrokerSubscription],
    candidates: Collection[BrokerSubscription],
    leaving: Collection[BrokerSubscription],
    at_risk: Mapping[str, Collection[Software]],
    seen: Collection[Software],
) -> Plan:
    """Decide what may stand on the broker when everything wanted were applied.

    Parameters
    ----------
    foreign
        Subscriptions that are not ours to change; they stay in any case.
    accepted
        Ours with ``riskPolicy: apply``; their owner takes the risk.
    candidates
        Ours with ``riskPolicy: hold``.
    leaving
        Ours that are on the broker and whose resource is gone.
    at_risk
        For each candidate's id the software at risk seen within its own ``riskWindow``.
    seen
        Software at risk seen within the longest window; decides what must be retained.
    """
    standing = {one.id: one for one in candidates}
    culprits: dict[str, tuple[Software, ...]] = {}
    everything = {software for found in at_risk.values() for software in found} | set(seen)
    # Each round takes candidates out; what is left may have lost its protection, so look again until nothing changes.
    while True:
        removed: dict[str, list[Software]] = {}
        for software in sorted(everything, key=lambda one: (one.name, one.version)):
            for culprit in endangered_by([*foreign, *accepted, *standing.values()], software):
                if culprit in standing and software in at_risk.get(culprit, ()):
                    removed.setdefault(culprit, []).append(software)
        if not removed:
            break
        for culprit, endangered in removed.items():
            del standing[culprit]
            culprits[culprit] = tuple(endangered)
    remaining = [*foreign, *accepted, *standing.values()]
    not_ours = {one.id for one in foreign}
    needed = any(
        endangered_by(remaining, software) & not_ours and not endangered_by([*remaining, *leaving], software)
        for software in seen
    )
    return Plan(
        held=frozenset(culprits),
        retained=frozenset(one.id for one in leaving) if needed else frozenset(),
        culprits=culprits,
    )
