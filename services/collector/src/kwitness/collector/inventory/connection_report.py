"""Open connections as they are shown, and this replica's part of a page of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json

from kwitness.collector.client_owners import ClientOwners, shown_owner
from kwitness.collector.inventory.connection_registry import ConnectionRegistry, Listing
from kwitness.collector.inventory.observers import Observer, Observers
from kwitness.collector.inventory.ordered_rows import WRITTEN_PER_STEP, Row, RowOrder, order_value, write_items
from kwitness.collector.inventory.parts import Part
from kwitness.collector.inventory.visible import Visible
from kwitness.collector.prometheus.labels import label_pattern
from kwitness.collector.turns import Turns
from kwitness.contracts.envelopes import CountedValue, ObserverListing, OpenConnection
from kwitness.contracts.nouns import CONNECTIONS
from kwitness.contracts.owners import KnownOwner, text_fits
from kwitness.contracts.questions import Question
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.contracts.software import UNANNOUNCED

_OF_THE_OBSERVER: Final = frozenset({"cluster_id", "application_id", "k8s_namespace", "k8s_workload", "k8s_pod"})
"""Identity keys that are known from the sender's token, or not at all: a list that has them is not trusted."""
_OWNED_BY: Final = ("principal", "client_id", "k8s_namespace", "group_id", "cluster_id")
_CONNECTIONS_PER_STEP: Final = 250
_OWNER: Final = "owner"


class ConnectionsHead(BaseModel):
    """How many connections fit, and what each observer has answered."""

    matched: int
    observers: tuple[ObserverListing, ...]
    awaited: bool = False
    """For readers with a scope, who see some of the observers: whether any has not answered."""
    incomplete: bool = False
    counted: tuple[CountedValue, ...] | None = None


class Seen(NamedTuple):
    """One connection, and the observer that sees it."""

    connection: OpenConnection
    listing: Listing
    observer: Observer

    @property
    def key(self) -> str:
        """The observer, and the connections of one by their age."""
        return f"{self.observer.head.source} {self.connection.opened_at_ms:016} {self.connection.connection_id}"

    def text(self, name: str) -> str | None:
        """Return the value of an identity key."""
        source = self.listing.origin if name in _OF_THE_OBSERVER else self.connection
        known: str | None = getattr(source, name, None) or None
        return UNANNOUNCED if known is None and name.startswith("client_software_") else known


class ConnectionItems:
    """Writes connections for one answer, with their owners."""

    def __init__(self, owners: ClientOwners, question: Question, scope: ReaderScope | None = None) -> None:
        self.visible = Visible(scope, owners)
        self._owners = owners
        self._owned: dict[tuple[str | None, ...], KnownOwner | None] = {}
        self._filters = tuple(question.filters.items())
        self._order = None if question.order is None else question.order.field
        self._fields = question.fields or CONNECTIONS.fields

    def fits(self, seen: Seen) -> bool:
        """Return whether a connection is shown to the reader and fits all filters."""
        return self.visible.connection(seen.connection, seen.listing.origin) and all(
            text_fits(pattern, self._text(seen, name)) for name, pattern in self._filters
        )

    def fits_labels(self, labels: Mapping[str, str]) -> bool:
        """Return whether a client of these labels of a metric is shown to the reader and fits all filters."""
        identity = {name: labels[name] for name in _OWNED_BY if name in labels}
        if not self.visible.identity(identity):
            return False
        owner = self._owners.owner_of(identity) if any(name == _OWNER for name, _ in self._filters) else None
        texts = {**labels, **({} if owner is None else {_OWNER: owner.team})}
        return all(
            text_fits(pattern if name == _OWNER else label_pattern(pattern), texts.get(name))
            for name, pattern in self._filters
        )

    def order_value(self, seen: Seen) -> str | None:
        """Return the value of the field that items are ordered by."""
        if self._order is None:
            return None
        return order_value(
            seen.connection.opened_at_ms if self._order == "opened_at_ms" else self._text(seen, self._order)
        )

    def _text(self, seen: Seen, name: str) -> str | None:
        if name != _OWNER:
            return seen.text(name)
        owner = self._owner(seen)
        return None if owner is None else owner.team

    def _owner(self, seen: Seen) -> KnownOwner | None:
        known = tuple(map(seen.text, _OWNED_BY))
        if known not in self._owned:
            identity = {name: text for name, text in zip(_OWNED_BY, known, strict=True) if text is not None}
            self._owned[known] = self._owners.owner_of(identity)
        return self._owned[known]

    def write(self, seen: Seen) -> bytes:
        """Return an item as JSON."""
        head, owner = seen.observer.head, self._owner(seen)
        item: dict[str, Any] = seen.connection.model_dump(exclude=set(_OF_THE_OBSERVER), exclude_none=True)
        item |= {name: text for name, text in seen.listing.origin._asdict().items() if text}
        item |= {
            "observer_mode": head.observer.mode,
            "observer": _name(seen.observer),
            "observer_pod": head.source,
            "listed_at_ms": seen.listing.listed_at_ms,
        }
        if owner is not None:
            item[_OWNER] = shown_owner(owner)
        return to_json({name: value for name, value in item.items() if name in self._fields})


async def connections_part(
    registry: ConnectionRegistry, observers: Observers, items: ConnectionItems, question: Question, now_ms: int
) -> Part[ConnectionsHead]:
    """Return this replica's first connections of a page, and all its observers."""
    turns, order = Turns(), RowOrder(question)
    known, listings = {observer.head.source: observer for observer in observers.known()}, registry.listings()
    open_now = (
        Seen(connection, listing, known[source])
        for source, listing in listings.items()
        if source in known
        for connection in listing.connections
    )
    matched, rows = 0, list[Row]()
    while step := list(islice(open_now, _CONNECTIONS_PER_STEP)):
        await turns.pause_when_due()
        fitting = [
            Row(seen.key, items.order_value(seen), seen.listing.listed_at_ms, seen) for seen in step if items.fits(seen)
        ]
        matched += len(fitting)
        await turns.pause_when_due()
        rows = order.first([*rows, *fitting])
    written = await write_items(rows, lambda _, seen: items.write(seen))
    await turns.pause_when_due()
    heard = {observer.head.source for observer in observers.heard(now_ms)}
    answers = []
    for number, (source, observer) in enumerate(sorted(known.items())):
        if number % WRITTEN_PER_STEP == 0:
            await turns.pause_when_due()
        answers.append(_answer(observer, listings.get(source), silent=source not in heard))
    return Part(_head(matched, answers, items.visible), written)


def _head(matched: int, answers: Sequence[ObserverListing], visible: Visible) -> ConnectionsHead:
    if visible.scope is None:
        return ConnectionsHead(matched=matched, observers=tuple(answers))
    return ConnectionsHead(
        matched=matched,
        observers=tuple(answer for answer in answers if visible.namespace(answer.observer_pod.partition("/")[0])),
        awaited=any(answer.answer == "awaited" for answer in answers),
        incomplete=any(answer.answer == "silent" or answer.left_out for answer in answers),
    )


def _name(observer: Observer) -> str:
    return f"{observer.head.observer.namespace}/{observer.head.observer.name}"


def _answer(observer: Observer, listing: Listing | None, *, silent: bool) -> ObserverListing:
    return ObserverListing(
        observer=_name(observer),
        observer_pod=observer.head.source,
        answer="silent" if silent else "awaited" if listing is None else "listed",
        listed_at_ms=None if listing is None else listing.listed_at_ms,
        left_out={} if listing is None else listing.left_out,
    )


def newest_answers(parts: Iterable[ConnectionsHead]) -> list[ObserverListing]:
    """Return the newest answer of each observer: it may have gone to another replica."""
    newest: dict[str, ObserverListing] = {}
    for answer in (answer for part in parts for answer in part.observers):
        known = newest.get(answer.observer_pod)
        if known is None or (answer.listed_at_ms or 0) > (known.listed_at_ms or 0):
            newest[answer.observer_pod] = answer
    return [newest[pod] for pod in sorted(newest)]
