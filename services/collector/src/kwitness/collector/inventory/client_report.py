"""Clients as the inventory shows them, and this replica's part of a page of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import to_json

from kwitness.collector.client_owners import ClientOwners, shown_owner
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.inventory.matched import SubscriptionMatcher, places
from kwitness.collector.inventory.ordered_rows import AnyRow, Row, RowOrder, order_value, write_items
from kwitness.collector.inventory.parts import Part
from kwitness.collector.inventory.visible import Visible
from kwitness.collector.turns import Turns
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.nouns import CLIENTS
from kwitness.contracts.owners import text_fits
from kwitness.contracts.questions import Question
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.contracts.software import is_ours
from kwitness.contracts.software_defects import defects_of
from kwitness.subscriptions.matching import effective

_CLIENTS_PER_STEP: Final = 500
_ATTRIBUTES: Final = ("first_seen_ms", "last_push_ms", "malformed", "malformed_reason", "terminated")
"""Fields that a record has as they are shown."""
_OWNER: Final = "owner"
_KNOWN_WRONG: Final = "known_wrong"
_PORT: Final = "client_source_port"
ALL_ITEMS: Final = Question()


class ClientsHead(BaseModel):
    """How many clients of a replica fit."""

    matched: int


class ClientItems:
    """Writes clients for one answer, with the subscriptions that match them and their owners."""

    def __init__(
        self,
        matcher: SubscriptionMatcher,
        owners: ClientOwners,
        question: Question = ALL_ITEMS,
        scope: ReaderScope | None = None,
    ) -> None:
        self._matcher = matcher
        self.owners = owners
        self.visible = Visible(scope, owners)
        self._filters = tuple(question.filters.items())
        self._order = None if question.order is None else question.order.field
        self._effective: dict[int, dict[str, Any] | None] = {0: None}
        self._metrics: dict[frozenset[str], list[str]] = {}
        fields = question.fields or CLIENTS.fields
        self._identity = frozenset(IDENTITY_KEYS).intersection(fields)
        self._writes_whole_identity = len(self._identity) == len(IDENTITY_KEYS)
        self._writes_key = "key" in fields
        self._values = [(name, value) for name, value in self._state().items() if name in fields]

    def _state(self) -> dict[str, Callable[[ClientRecord], Any]]:
        """Return how each field is found that is no identity key."""
        return {
            **{name: attrgetter(name) for name in _ATTRIBUTES},
            "ours": _is_ours,
            "k8s_namespace_proven": lambda record: record.shows_proven_namespace or None,
            "push_interval_ms": lambda record: record.interval_ms,
            "metrics": self._names,
            "subscriptions": lambda record: (self._effective_of(record) or {}).get("subscriptions", ()),
            "subscriptions_unknown": lambda record: bool(self._matcher.unknown(record)) or None,
            "filtered": lambda record: record.filtered or None,
            "effective": self._effective_of,
            _OWNER: lambda record: shown_owner(record.owner(self.owners)),
            _KNOWN_WRONG: _known_wrong,
        }

    def item(self, key: str, record: ClientRecord) -> dict[str, Any]:
        """Return the fields of an item that are known."""
        identity, fields = record.identity, self._identity
        item: dict[str, Any]
        if self._writes_whole_identity and "" not in identity.values():  # nearly always: a copy takes a third
            item = dict(identity)
        else:
            item = {name: text for name, text in identity.items() if text and name in fields}
        if _PORT in item:
            item[_PORT] = int(item[_PORT])
        if self._writes_key:
            item["key"] = key
        for name, value_of in self._values:
            value = value_of(record)
            if value is not None:
                item[name] = value
        return item

    def write(self, key: str, record: ClientRecord) -> bytes:
        """Return an item as JSON."""
        return to_json(self.item(key, record))

    def fits(self, record: ClientRecord) -> bool:
        """Return whether a client is shown to the reader and fits all filters."""
        return self.visible.client(record) and all(
            any(text_fits(pattern, text) for text in self._texts(record, name)) for name, pattern in self._filters
        )

    def order_value(self, record: ClientRecord) -> str | None:
        """Return the value of the field that items are ordered by."""
        name = self._order
        if name is None:
            return None
        return order_value(getattr(record, name) if name.endswith("_ms") else self._text(record, name))

    def _texts(self, record: ClientRecord, name: str) -> Sequence[str | None]:
        return _known_wrong(record) if name == _KNOWN_WRONG else (self._text(record, name),)

    def _text(self, record: ClientRecord, name: str) -> str | None:
        if name == _OWNER:
            owner = record.owner(self.owners)
            return None if owner is None else owner.team
        return record.identity.get(name) or None

    def _names(self, record: ClientRecord) -> list[str]:
        names = self._metrics.get(record.metrics)
        if names is None:
            names = self._metrics[record.metrics] = sorted(record.metrics)
        return names

    def _effective_of(self, record: ClientRecord) -> dict[str, Any] | None:
        mask = self._matcher.mask(record)
        if mask not in self._effective:
            self._effective[mask] = self._together(mask)
        return self._effective[mask]

    def _together(self, mask: int) -> dict[str, Any] | None:
        matching = tuple(self._matcher.subscriptions[place] for place in places(mask))
        found = effective(matching)
        return found and {
            "interval_ms": found.interval_ms,
            "metrics": found.metrics,
            "subscriptions": [subscription.id for subscription in matching],
        }


def _is_ours(record: ClientRecord) -> bool:
    known = record.identity.get
    return is_ours(known("client_id"), known("client_software_name"), known("client_software_version"))


def _known_wrong(record: ClientRecord) -> tuple[str, ...]:
    known = record.identity.get
    name, version = known("client_software_name"), known("client_software_version")
    return _defect_ids(name, version) if name and version else ()


@lru_cache(maxsize=2048)
def _defect_ids(name: str, version: str) -> tuple[str, ...]:
    return tuple(defect.id for defect in defects_of(name, version))


async def clients_part(clients: Clients, items: ClientItems, question: Question) -> Part[ClientsHead]:
    """Return this replica's first clients of a page; all are visited only where that takes filters or an order."""
    order = RowOrder(question)
    if question.filters or question.order or items.visible.scope is not None:
        matched, rows = await _first(clients, items, order)
    else:
        matched = len(clients)
        behind = clients.behind(question.after, order.most)
        rows = ((key, None, record.last_push_ms, record) for key, record in behind)
    return Part(ClientsHead(matched=matched), await write_items(rows, items.write))


async def _first(clients: Clients, items: ClientItems, order: RowOrder) -> tuple[int, Iterable[AnyRow]]:
    turns, matched, rows, after = Turns(), 0, list[Row](), ""
    while step := clients.behind(after, _CLIENTS_PER_STEP):
        fitting = [
            Row(key, items.order_value(record), record.last_push_ms, record)
            for key, record in step
            if items.fits(record)
        ]
        matched += len(fitting)
        await turns.pause_when_due()
        rows = order.first([*rows, *fitting])
        after = step[-1][0]
        await turns.pause_when_due()
    return matched, rows
