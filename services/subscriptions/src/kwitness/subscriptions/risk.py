"""Whether a set of subscriptions would abort the librdkafka 2.5.0 to 2.5.2 programs of a cluster.

Those versions abort the process when a client is asked for metrics and none of them is one it has
(confluentinc/librdkafka 2.5.3 release notes). Of several prefixes that a broker asks for they take only one into
account, and which one depends on the broker (docs/decisions/0032). So one prefix that some role has no metric for
aborts the client, whatever stands beside it. ``*`` alone protects: where any subscription that reaches a client has
it, the broker asks for ``*`` and nothing else.

Selectors other than software name and version are unknown for a client of which only the broker's gauge tells. A
subscription with such a selector *could* match. Of two that could match, the one whose unknown selectors are a part
of the other's matches whenever the other does.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.client_metrics import CRASH_PRONE_METRICS, PREFIX
from kwitness.contracts.software import OTHER
from kwitness.contracts.software_defects import may_crash_on_unknown_metrics
from kwitness.subscriptions.broker_subscription import ALL_METRICS, BrokerSubscription
from kwitness.subscriptions.matching import pattern_matches

SAFE_PREFIX: Final = PREFIX
"""Asks every role for metrics that it has; a subscription to nothing else aborts nobody."""


@dataclass(frozen=True, slots=True, order=True)
class Software:
    """A client software as it announced itself (KIP-511)."""

    name: str
    version: str


ANYBODY: Final = Software(OTHER, OTHER)
"""A client of the range at risk of which nothing is known."""

_LITERAL: Final = re.compile(r"(?:[A-Za-z0-9_-]|\\[^A-Za-z0-9]|\[\.\])+")
_ESCAPE: Final = re.compile(r"\\(.)|\[(\.)\]")


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
    """Ids of those that would abort a client of ``software``, whatever its role; empty when the set is harmless.

    ``software`` must be of the range at risk; the caller knows (contracts hold the table of versions). A name or
    version that is `OTHER` can be any of that range.
    """
    reachable = [(one, unknown) for one in subscriptions if (unknown := _unknown_selectors(one, software)) is not None]
    protected = [unknown for one, unknown in reachable if ALL_METRICS in one.metrics]
    return frozenset(
        one.id
        for one, unknown in reachable
        if _aborts_client(one) and not any(selectors <= unknown for selectors in protected)
    )


def _aborts_client(subscription: BrokerSubscription) -> bool:
    return ALL_METRICS not in subscription.metrics and any(
        not any(metric.startswith(prefix) for metric in known)
        for prefix in subscription.metrics
        for known in CRASH_PRONE_METRICS.values()
    )


def _unknown_selectors(subscription: BrokerSubscription, software: Software) -> frozenset[tuple[str, str]] | None:
    """Selectors that cannot be evaluated for such a client; None when it is certain that it is not reached."""
    known = {"client_software_name": software.name, "client_software_version": software.version}
    narrowed = dict(known)
    unknown: set[tuple[str, str]] = set()
    for key, pattern in subscription.match:
        if known.get(key) == OTHER:
            narrowed[key] = _ESCAPE.sub(r"\1\2", pattern) if _LITERAL.fullmatch(pattern) else OTHER
        verdict = pattern_matches(pattern, known[key]) if known.get(key, OTHER) != OTHER else None
        if verdict is False:
            return None
        if verdict is None:
            unknown.add((key, pattern))
    if narrowed != known and not may_crash_on_unknown_metrics(*narrowed.values()):
        # Whoever it is, a client that such a selector reaches is none of the range.
        return None
    return frozenset(unknown)


def waiting(
    changes: Mapping[str, BrokerSubscription | None],
    standing: Mapping[str, BrokerSubscription],
    accepted: Collection[str],
) -> frozenset[str]:
    """Ids of changes that could abort somebody, as long as it is not known who is connected.

    Parameters
    ----------
    changes
        What is to be written, by id; None is to be removed.
    standing
        What is on the broker.
    accepted
        Ids of which the owner takes the risk; they never wait.
    """
    broker, left = dict(standing), dict(changes)
    while harmless := [one for one in sorted(left) if one in accepted or not _harms(broker, one, left[one])]:
        for one in harmless:
            broker = _after(broker, one, left.pop(one))
    return frozenset(left)


def _after(
    broker: Mapping[str, BrokerSubscription], name: str, target: BrokerSubscription | None
) -> dict[str, BrokerSubscription]:
    rest = {key: one for key, one in broker.items() if key != name}
    return rest if target is None else {**rest, name: target}


def _harms(broker: Mapping[str, BrokerSubscription], name: str, target: BrokerSubscription | None) -> bool:
    before = endangered_by(broker.values(), ANYBODY)
    after = endangered_by(_after(broker, name, target).values(), ANYBODY)
    return name in after or not after <= before


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
        Ours with ``riskPolicy: Apply``; their owner takes the risk.
    candidates
        Ours with ``riskPolicy: Hold``.
    leaving
        Ours that are on the broker and whose resource is gone.
    at_risk
        For each candidate's id the software at risk seen within its own ``riskWindow``.
    seen
        Software at risk seen within the longest window; decides what must be retained.
    """
    ours = {one.id for one in candidates}
    others = {one.id for one in foreign}
    standing = [*foreign, *accepted, *candidates]
    culprits: dict[str, list[Software]] = {}
    # One that is held protected nobody, so holding it endangers no other.
    for software in sorted({one for found in at_risk.values() for one in found}):
        for culprit in endangered_by(standing, software) & ours:
            if software in at_risk.get(culprit, ()):
                culprits.setdefault(culprit, []).append(software)
    needed = any(
        (endangered_by(standing, software) - endangered_by([*standing, *leaving], software)) & others
        for software in seen
    )
    return Plan(
        held=frozenset(culprits),
        retained=frozenset(one.id for one in leaving if ALL_METRICS in one.metrics) if needed else frozenset(),
        culprits={name: tuple(found) for name, found in culprits.items()},
    )
