"""All subscriptions against all clients of this replica, in one pass that lets others go on in between.

Which subscriptions match a client is remembered with it (`matched`), so that a pass mostly counts. Clients send the
same sets of metrics: what a set means for a subscription is found out once for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.matched import SubscriptionMatcher, places
from kwitness.collector.inventory.visible import everything
from kwitness.collector.turns import Turns
from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.matching import requests_metric

TOP: Final = 20
"""Client instances shown of each subscription, those that pushed last."""
_LOOK_EVERY: Final = 64
"""Clients between two looks at the clock."""


@dataclass(slots=True)
class Found:
    """What was found out about one subscription; ``newest`` are the clients that pushed last.

    ``unknown`` are clients that may match, by what their identity was before it was treated.
    """

    matching: int = 0
    unknown: int = 0
    pushing: int = 0
    sent_prefixes: set[str] = field(default_factory=set)
    newest: list[ClientRecord] = field(default_factory=list)


@dataclass(slots=True)
class Survey:
    """What was found out: ``found`` has an entry for each of ``subscriptions``, in their order."""

    subscriptions: tuple[BrokerSubscription, ...]
    clients: int = 0
    software: set[tuple[str, str]] = field(default_factory=set)
    found: list[Found] = field(default_factory=list)


async def survey(
    clients: Clients,
    matcher: SubscriptionMatcher,
    cluster_id: str,
    shows: Callable[[ClientRecord], bool] = everything,
) -> Survey:
    """Count the clients of a cluster that have not ended and that the reader may see."""
    subscriptions = matcher.subscriptions
    result = Survey(subscriptions, found=[Found() for _ in subscriptions])
    groups: Counter[tuple[int, frozenset[str]]] = Counter()
    hidden: Counter[tuple[int, frozenset[str]]] = Counter()
    short_of_clients = (1 << len(subscriptions)) - 1
    turns = Turns()
    for number, record in enumerate(reversed(list(clients.records()))):
        if number % _LOOK_EVERY == 0:
            await turns.pause_when_due()
        identity = record.identity
        if record.terminated or identity.get("cluster_id") != cluster_id or not shows(record):
            continue
        result.clients += 1
        result.software.add((identity.get("client_software_name", ""), identity.get("client_software_version", "")))
        mask = matcher.mask(record)
        groups[mask, record.metrics] += 1
        if unknown := matcher.unknown(record):
            hidden[unknown, record.metrics] += 1
        if mask & short_of_clients:
            short_of_clients ^= _add_newest(result.found, record, mask & short_of_clients)
    sent = _Sent(subscriptions)
    for (mask, metrics), count in groups.items():
        await turns.pause_when_due()
        for place in places(mask):
            found, prefixes = result.found[place], sent.prefixes(place, metrics)
            found.matching += count
            found.pushing += count if prefixes else 0
            found.sent_prefixes |= prefixes
    for (mask, metrics), count in hidden.items():
        await turns.pause_when_due()
        for place in places(mask):
            result.found[place].unknown += count
            result.found[place].sent_prefixes |= sent.prefixes(place, metrics)
    return result


def _add_newest(found: list[Found], record: ClientRecord, mask: int) -> int:
    """Add a client to the subscriptions of ``mask``; returns those that have enough with it."""
    filled = 0
    for place in places(mask):
        newest = found[place].newest
        newest.append(record)
        filled |= (len(newest) >= TOP) << place
    return filled


class _Sent:
    """Which prefixes of a subscription a set of metrics has something of."""

    def __init__(self, subscriptions: tuple[BrokerSubscription, ...]) -> None:
        self._subscriptions = subscriptions
        self._known: dict[tuple[int, frozenset[str]], frozenset[str]] = {}

    def prefixes(self, place: int, metrics: frozenset[str]) -> frozenset[str]:
        known = self._known.get((place, metrics))
        if known is None:
            known = self._known[place, metrics] = frozenset(
                prefix
                for prefix in self._subscriptions[place].metrics
                if any(requests_metric((prefix,), name) for name in metrics)
            )
        return known
