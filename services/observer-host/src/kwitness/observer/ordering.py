"""The order of each connection, restored: events of one can come late, again, or never."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from kwitness.contracts.records.requests import RequestEvent
from kwitness.observer.calls import connection_of

__all__ = ["Arrival", "Ordering"]

_FIRST: Final = 0
"""Number of a connection's first event."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event, and where it was read: partition and offset of the topic, and size in bytes."""

    event: RequestEvent
    partition: int = 0
    offset: int = 0
    size: int = 0


@dataclass(slots=True)
class _Connection:
    partition: int
    next: int | None = None
    """The number that comes next; None while the connection was met in its middle and earlier events may come."""
    held: dict[int, Arrival] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    """Of what is held, as a heap."""


class Ordering:
    """Holds back what comes too early, until what is before it has come or is given up.

    Parameters
    ----------
    most_events, most_bytes
        Held back at most, over all connections; beyond it the longest waiting connection waits no more.
    patience_s
        Longest time for which an event is held back, in seconds.
    most_connections
        Connections that are remembered; the one unheard of for longest is forgotten first.
    """

    def __init__(
        self,
        *,
        most_events: int = 10_000,
        most_bytes: int = 64 * 1024 * 1024,
        patience_s: float = 30.0,
        most_connections: int = 65_536,
    ) -> None:
        self._most_events, self._most_bytes = most_events, most_bytes
        self._patience_s = patience_s
        self._most_connections = most_connections
        self._connections: OrderedDict[str, _Connection] = OrderedDict()
        self._waiting: OrderedDict[tuple[str, int], float] = OrderedDict()
        self._bytes = 0
        self.missing = 0
        """Events that were given up: numbers between two events of a connection that did not come in time."""
        self.repeated = 0
        """Events that came again, or after they were given up."""

    @property
    def waiting(self) -> int:
        """Events held back now."""
        return len(self._waiting)

    def take(self, arrival: Arrival, now: float) -> list[Arrival]:
        """Take an event at this monotonic time, and return those whose turn it is."""
        name = connection_of(arrival.event)
        released = self._make_room(name)
        connection = self._connections.get(name)
        if connection is None:
            connection = self._connections[name] = _Connection(arrival.partition)
        self._connections.move_to_end(name)
        number = arrival.event.connection_seq
        if connection.next is None and number == _FIRST:
            connection.next = _FIRST
        if (connection.next is not None and number < connection.next) or number in connection.held:
            self.repeated += 1
            return released
        connection.held[number] = arrival
        heapq.heappush(connection.numbers, number)
        self._waiting[name, number] = now
        self._bytes += arrival.size
        released += self._run(name, connection)
        while len(self._waiting) > self._most_events or self._bytes > self._most_bytes:
            released += self._give_up(next(iter(self._waiting))[0])
        return released

    def expire(self, now: float) -> list[Arrival]:
        """Return what has waited for too long at this monotonic time, and what follows it."""
        released: list[Arrival] = []
        while self._waiting:
            (name, _), since = next(iter(self._waiting.items()))
            if now - since < self._patience_s:
                break
            released += self._give_up(name)
        return released

    def drain(self) -> list[Arrival]:
        """Return all that is held back."""
        released: list[Arrival] = []
        while self._waiting:
            released += self._give_up(next(iter(self._waiting))[0])
        return released

    def forget(self, partition: int) -> None:
        """Drop what is held back of a partition that another host reads from now on, and its connections."""
        for name in [name for name, one in self._connections.items() if one.partition == partition]:
            self._let_go(name, self._connections.pop(name))

    def floors(self) -> dict[int, int]:
        """Lowest offset that is held back, by partition: what is before it has been handed on."""
        found: dict[int, int] = {}
        for name, number in self._waiting:
            one = self._connections[name].held[number]
            found[one.partition] = min(one.offset, found.get(one.partition, one.offset))
        return found

    def _make_room(self, name: str) -> list[Arrival]:
        released: list[Arrival] = []
        if name not in self._connections and len(self._connections) >= self._most_connections:
            oldest, connection = next(iter(self._connections.items()))
            while connection.held:
                released += self._give_up(oldest)
            del self._connections[oldest]
        return released

    def _let_go(self, name: str, connection: _Connection) -> None:
        for number, one in connection.held.items():
            del self._waiting[name, number]
            self._bytes -= one.size

    def _give_up(self, name: str) -> list[Arrival]:
        """Wait no more for what is before the first held event of the connection."""
        connection = self._connections[name]
        first = connection.numbers[0]
        # Of a connection that was met in its middle nobody knows what was before.
        self.missing += 0 if connection.next is None else first - connection.next
        connection.next = first
        return self._run(name, connection)

    def _run(self, name: str, connection: _Connection) -> list[Arrival]:
        released: list[Arrival] = []
        while connection.numbers and connection.numbers[0] == connection.next:
            number = heapq.heappop(connection.numbers)
            one = connection.held.pop(number)
            del self._waiting[name, number]
            self._bytes -= one.size
            connection.next = number + 1
            released.append(one)
        return released
