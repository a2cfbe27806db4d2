"""Connections that are open at observers, one by one: listed while somebody asks (docs/decisions/0067)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from kwitness.collector.inventory.observers import SILENT_AFTER_MS, Observers
from kwitness.collector.inventory.visible import everything
from kwitness.collector.origin import Origin, origin_of
from kwitness.contracts.envelopes import EventsHead, OpenConnection

WANTED_FOR_MS: Final = 30_000
"""How long observers go on listing after a question."""
MAX_CONNECTIONS: Final = 20_000
"""Connections that are held at once, of all observers of this replica; some two kilobytes each."""


@dataclass(slots=True)
class Listing:
    """What one observer has open, when it said so, and how many connections are not listed, by reason."""

    origin: Origin
    listed_at_ms: int
    connections: tuple[OpenConnection, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


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

    def listings(self) -> dict[str, Listing]:
        """Return the newest list of each observer, by its source."""
        return dict(self._by_source)

    def open(
        self,
        cluster_id: str,
        observers: Observers,
        shows: Callable[[OpenConnection, Origin], bool] = everything,
    ) -> Iterator[tuple[OpenConnection, str]]:
        """Yield the connections of one cluster that observers listed and the reader may see.

        The second is the namespace of the sidecar's pod; empty for other observers.
        """
        known = {one.head.source for one in observers.known() if one.head.cluster_id == cluster_id}
        for source, listing in self._by_source.items():
            if source in known:
                namespace = listing.origin.k8s_namespace
                yield from ((each, namespace) for each in listing.connections if shows(each, listing.origin))

    def awaited(self, cluster_id: str, observers: Observers, now_ms: int) -> int:
        """Count the observers of one cluster that have not answered yet."""
        heard = {one.head.source for one in observers.heard(now_ms) if one.head.cluster_id == cluster_id}
        return len(heard - self._by_source.keys())
