"""The seam behind which decoding, accumulating and exposing happen; a native core may take this place later.

A core has no clock, no I/O and no thread: it is told what arrived and who left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

CoreState = Iterator[list[object]]
"""Rows of plain JSON values, in an order in which they can be read back."""


class Applied(NamedTuple):
    """What became of one push.

    ``metrics`` are the names as sent; ``left_out`` counts points by the reason for which they are not exposed;
    ``malformed`` holds what was wrong when nothing could be decoded; ``defect`` says that applying it raised.
    """

    points: int
    metrics: tuple[str, ...]
    left_out: Mapping[str, int]
    malformed: str | None
    defect: bool = False


class Arrival(NamedTuple):
    """When a push came, in milliseconds since 1970, and the interval of its client's pushes if it is known.

    ``alone_since_ms`` is since when nobody else can have counted what a client counts that was not known: neither
    another replica, nor this one before it forgot it.
    """

    at_ms: int
    interval_ms: int | None
    alone_since_ms: int


class ZeroPeriod(NamedTuple):
    """The time now, in milliseconds since 1970, and for how long from its creation on a counter is exposed as 0.

    Prometheus counts the rise from the first sample that it gets, so that one must be 0.
    """

    now_ms: int
    lasts_ms: int

    def covers(self, created_ms: int) -> bool:
        """Return whether a counter of that creation is still exposed as 0."""
        return 0 <= self.now_ms - created_ms < self.lasts_ms


class ClientValue(NamedTuple):
    """What one client says of one metric with one set of attributes, in the unit in which it is exposed.

    ``value`` is that of a gauge or counter, ``counted`` and ``total`` are a histogram's. A gauge's is None where the
    budget left it out, or it is no finite number. ``is_newest`` says that the client's last push had it.
    """

    name: str
    exposed: str
    type: Literal["gauge", "counter", "histogram"]
    unit: str
    attributes: tuple[tuple[str, str], ...]
    value: float | None
    counted: int | None
    total: float | None
    is_newest: bool


class Cumulative(NamedTuple):
    """A push with sums since their start in place of increments; ``left_out`` counts points of which none is known."""

    payload: bytes
    left_out: int


class CoreCounts(NamedTuple):
    """What the core has to say about itself; all but ``series`` only rise."""

    series: int
    overflowed: Mapping[str, int]
    conflicts: int
    cut_values: Mapping[str, int]


class TelemetryCore(Protocol):
    """Points in, series out."""

    def apply(
        self, client: str, identity: Mapping[str, str], payload: bytes, holder: str, arrival: Arrival | None = None
    ) -> Applied:
        """Take one push of a client, whose OTLP bytes may be empty or garbage, as of a holder's share (`fairness`).

        Without an ``arrival`` nobody else can have counted what the client counts.
        """
        ...

    def add(self, payload: bytes, holder: str, now_ms: int) -> Applied:
        """Take one push of a client for which there is no room: what can be added is, and nothing is remembered."""
        ...

    def relabel(self, client: str, identity: Mapping[str, str], now_ms: int) -> None:
        """Let the series of a client go on under the labels of what is known of it now."""
        ...

    def depart(self, client: str) -> None:
        """Forget a client: gauges lose its values, counters keep what it added while others share the series."""
        ...

    def values(self, client: str) -> Iterable[ClientValue]:
        """Yield what one client alone says, in no order; nothing for a client that is not known."""
        ...

    def cumulative(self, client: str, payload: bytes, now_ms: int) -> Cumulative:
        """Write the push that was applied last of a client with the sums that its increments add up to.

        A payload without increments, or one that is no message, stays as it is.
        """
        ...

    def render(self, zeros: ZeroPeriod, *, openmetrics: bool) -> Iterator[bytes]:
        """Write all families, in pieces; new counters are 0."""
        ...

    def clock_was_set(self, step_ms: int) -> None:
        """Shift the times at which counters were created with the clock that they were read from."""
        ...

    def counts(self) -> CoreCounts:
        """Say how it is going."""
        ...

    def dump(self) -> CoreState:
        """Yield everything needed to go on after a restart."""
        ...

    def load(self, rows: Iterable[list[object]], now_ms: int) -> None:
        """Take back what `dump` gave; raises ValueError, TypeError, KeyError or IndexError if it is something else."""
        ...
