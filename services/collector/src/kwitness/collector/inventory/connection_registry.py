"""Connections that are open at observers, one by one: listed while somebody asks (docs/decisions/0067)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict

from kwitness.collector.inventory.observers import SILENT_AFTER_MS, Observer, Observers
from kwitness.collector.origin import Origin, origin_of
from kwitness.contracts.envelopes import ConnectionItem, ConnectionPage, EventsHead, ObserverListing, OpenConnection
from kwitness.contracts.software import UNANNOUNCED

WANTED_FOR_MS: Final = 30_000
"""How long observers go on listing after a question."""
MAX_CONNECTIONS: Final = 20_000
"""Connections that are held at once, of all observers of this replica; some two kilobytes each."""
FILTERS: Final = ("client_software_name", "client_software_version", "principal", "client_id")
"""What may be asked for, by identity key."""
_OF_THE_OBSERVER: Final = frozenset({"cluster_id", "application_id", "k8s_namespace", "k8s_workload", "k8s_pod"})
"""Identity keys that are known from the sender's token, or not at all: a list that has them is not believed."""
Value = TypeVar("Value")


@dataclass(slots=True)
class Listing:
    """What one observer has open, when it said so, and how many connections are not listed, by reason."""

    origin: Origin
    listed_at_ms: int
    connections: tuple[OpenConnection, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


class ConnectionPart(BaseModel):
    """One replica's part of a page; exchanged between replicas of the same version."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[tuple[str, ConnectionItem], ...] = ()
    observers: tuple[ObserverListing, ...] = ()


class ConnectionRegistry:
    """The newest list of each observer, for as long as somebody asks."""

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        self._most = most
        self._held = 0
        self._asked_ms: int | None = None
        self._by_source: dict[str, Listing] = {}

    def ask(self, now_ms: int) -> None:
        """Have observers list their connections with their next heartbeats."""
        self._asked_ms = now_ms

    def is_wanted(self, now_ms: int) -> bool:
        """Whether somebody asked within the last 30 s."""
        return self._asked_ms is not None and 0 <= now_ms - self._asked_ms <= WANTED_FOR_MS

    def record(self, head: EventsHead, now_ms: int) -> None:
        """Take what a heartbeat lists; one without a list, or that nobody waits for, changes nothing."""
        listed = head.open_connections
        if listed is None or not self.is_wanted(now_ms):
            return
        self._forget(head.source)
        connections, left_out = listed.connections, dict(listed.left_out)
        if self._held + len(connections) > self._most:
            left_out["no_room"] = len(connections)
            connections = ()
        self._held += len(connections)
        self._by_source[head.source] = Listing(origin_of(head), now_ms, connections, left_out)

    def _forget(self, source: str) -> None:
        known = self._by_source.pop(source, None)
        if known is not None:
            self._held -= len(known.connections)

    def expire(self, now_ms: int) -> None:
        """Forget everything that nobody asks for any more, and lists of observers that are silent."""
        wanted = self.is_wanted(now_ms)
        for source, one in list(self._by_source.items()):
            if not wanted or not 0 <= now_ms - one.listed_at_ms <= SILENT_AFTER_MS:
                self._forget(source)

    def part(
        self, observers: Observers, wanted: Mapping[str, str], limit: int, after: str, now_ms: int
    ) -> ConnectionPart:
        """Return up to ``limit`` connections behind the key ``after`` that match ``wanted``, and all observers."""
        known = {one.head.source: one for one in observers.known()}
        rows = heapq.nsmallest(limit, self._rows(known, wanted, after), key=lambda row: row[0])
        heard = {one.head.source for one in observers.heard(now_ms)}
        return ConnectionPart(
            rows=tuple((key, _item(known[source], listing, one)) for key, source, listing, one in rows),
            observers=tuple(
                _answer(one, self._by_source.get(source), silent=source not in heard)
                for source, one in sorted(known.items())
            ),
        )

    def open(self, cluster_id: str, observers: Observers) -> Iterator[OpenConnection]:
        """Return the connections of one cluster that observers listed."""
        known = {one.head.source for one in observers.known() if one.head.cluster_id == cluster_id}
        for source, listing in self._by_source.items():
            if source in known:
                yield from listing.connections

    def awaited(self, cluster_id: str, observers: Observers, now_ms: int) -> int:
        """Count the observers of one cluster that have not answered yet."""
        heard = {one.head.source for one in observers.heard(now_ms) if one.head.cluster_id == cluster_id}
        return len(heard - self._by_source.keys())

    def _rows(
        self, known: Mapping[str, Observer], wanted: Mapping[str, str], after: str
    ) -> Iterator[tuple[str, str, Listing, OpenConnection]]:
        for source, listing in self._by_source.items():
            if source not in known:
                continue
            for one in listing.connections:
                key = f"{source} {one.opened_at_ms:016} {one.connection_id}"
                if key > after and _matches(one, wanted):
                    yield key, source, listing, one


def _matches(connection: OpenConnection, wanted: Mapping[str, str]) -> bool:
    for key, value in wanted.items():
        known = getattr(connection, key)
        if known is None and key.startswith("client_software_"):
            known = UNANNOUNCED
        if known != value:
            return False
    return True


def _item(observer: Observer, listing: Listing, connection: OpenConnection) -> ConnectionItem:
    said = connection.model_dump(exclude=set(_OF_THE_OBSERVER), exclude_none=True)
    origin = {key: value for key, value in listing.origin._asdict().items() if value}
    head = observer.head
    return ConnectionItem(
        **said,
        **origin,
        observer_mode=head.observer.mode,
        observer=f"{head.observer.namespace}/{head.observer.name}",
        observer_pod=head.source,
        listed_at_ms=listing.listed_at_ms,
    )


def _answer(observer: Observer, listing: Listing | None, *, silent: bool) -> ObserverListing:
    head = observer.head
    return ObserverListing(
        observer=f"{head.observer.namespace}/{head.observer.name}",
        observer_pod=head.source,
        answer="silent" if silent else "awaited" if listing is None else "listed",
        listed_at_ms=None if listing is None else listing.listed_at_ms,
        left_out={} if listing is None else listing.left_out,
    )


def merge(parts: Sequence[ConnectionPart], limit: int, missing: tuple[int, ...]) -> ConnectionPage:
    """Merge the replicas' parts; of an observer that went to another replica the newest list and answer count."""
    observers = _newest((one.observer_pod, one.listed_at_ms or 0, one) for part in parts for one in part.observers)
    items = _newest((key, item.listed_at_ms, item) for part in parts for key, item in part.rows)
    keys = sorted(items)
    page = keys[:limit]
    more = len(page) == limit
    return ConnectionPage(
        items=tuple(items[key] for key in page),
        observers=tuple(observers[pod] for pod in sorted(observers)),
        missing=missing,
        continue_=page[-1] if page and more else None,
    )


def _newest(entries: Iterable[tuple[str, int, Value]]) -> dict[str, Value]:
    newest: dict[str, tuple[int, Value]] = {}
    for key, at_ms, value in entries:
        if key not in newest or at_ms > newest[key][0]:
            newest[key] = (at_ms, value)
    return {key: value for key, (_, value) in newest.items()}
