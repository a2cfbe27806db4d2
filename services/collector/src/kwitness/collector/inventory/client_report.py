"""Clients as the inventory shows them: this replica's part of a page, and how the parts of all replicas become one."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.inventory.clients import ClientRecord, Clients
from kwitness.collector.inventory.matched import SubscriptionMatcher, places
from kwitness.contracts.envelopes import ClientItem, ClientOwner, ClientPage, EffectiveSubscription
from kwitness.contracts.software import is_ours
from kwitness.subscriptions.matching import effective

MAX_PAGE: Final = 1_000
FILTERS: Final = ("client_id", "client_instance_id", "principal", "group_id", "client_software_name", "k8s_namespace")
"""What may be asked for, by identity key."""
_NUMBERS: Final = frozenset({"client_source_port"})


class ClientPart(BaseModel):
    """One replica's part of a page, by key; exchanged between replicas of the same version."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[tuple[str, ClientItem], ...] = ()


class ClientItems:
    """Writes clients for one answer, with what they are asked for and whose they are."""

    def __init__(self, matcher: SubscriptionMatcher, owners: ClientOwners) -> None:
        self._matcher = matcher
        self._owners = owners
        self._effective: dict[int, EffectiveSubscription | None] = {0: None}

    def item(self, record: ClientRecord) -> ClientItem:
        """Write one."""
        mask = self._matcher.mask(record)
        if mask not in self._effective:
            self._effective[mask] = self._taken_together(mask)
        asked = self._effective[mask]
        owner = self._owners.owner_of(record.who)
        identity: dict[str, Any] = {
            key: int(value) if key in _NUMBERS else value for key, value in record.identity.items() if value
        }
        return ClientItem(
            **identity,
            ours=is_ours(*map(record.identity.get, ("client_id", "client_software_name", "client_software_version"))),
            first_seen_ms=record.first_seen_ms,
            last_push_ms=record.last_push_ms,
            push_interval_ms=record.interval_ms,
            metrics=tuple(sorted(record.metrics)),
            subscriptions=() if asked is None else asked.subscriptions,
            subscriptions_unknown=bool(self._matcher.unknown(record)) or None,
            filtered=record.filtered or None,
            effective=asked,
            owner=None if owner is None else ClientOwner(team=owner.team, contact=owner.contact),
            malformed=record.malformed,
            malformed_reason=record.malformed_reason,
            terminated=record.terminated,
        )

    def _taken_together(self, mask: int) -> EffectiveSubscription | None:
        matching = tuple(self._matcher.subscriptions[place] for place in places(mask))
        found = effective(matching)
        return found and EffectiveSubscription(
            interval_ms=found.interval_ms, metrics=found.metrics, subscriptions=tuple(one.id for one in matching)
        )


def clients_page(clients: Clients, items: ClientItems, wanted: Mapping[str, str], limit: int, after: str) -> ClientPart:
    """Return up to ``limit`` of this replica's clients that are as ``wanted``, by key, beginning after ``after``."""
    fitting = ((key, record) for key, record in clients.items() if key > after and _fits(record.identity, wanted))
    rows = heapq.nsmallest(limit, fitting, key=lambda one: one[0])
    return ClientPart(rows=tuple((key, items.item(record)) for key, record in rows))


def _fits(identity: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(identity.get(key) == value for key, value in wanted.items())


def merge_pages(parts: Iterable[ClientPart], limit: int, missing: tuple[int, ...]) -> ClientPage:
    """Merge the replicas' pages, each sorted; a client that moved is shown once, as it was last heard.

    ``missing`` are the ordinals of replicas without a part.
    """
    newest: dict[str, ClientItem] = {}
    for key, item in (entry for part in parts for entry in part.rows):
        known = newest.get(key)
        if known is None or (item.last_push_ms or 0) > (known.last_push_ms or 0):
            newest[key] = item
    keys = sorted(newest)
    page = keys[:limit]
    more = len(keys) > limit or len(page) == limit
    return ClientPage(
        items=tuple(newest[key] for key in page),
        continue_=page[-1] if page and more else None,
        missing=missing,
    )
