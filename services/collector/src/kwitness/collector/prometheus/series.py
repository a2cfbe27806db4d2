"""One exposed series each: what the instances that share its labels add up to."""

from __future__ import annotations

import math
import operator
from typing import NamedTuple

from kwitness.collector.fairness import NOBODY
from kwitness.collector.otlp.points import Buckets
from kwitness.collector.prometheus.names import Combine


class Counter:
    """A sum that never falls while the series lives: increments of all its instances, departed ones included.

    ``total`` is in the client's unit, so that integers stay exact; it is scaled when it is exposed. ``created_ms``,
    in milliseconds since 1970, begins the time for which it is exposed as 0: see `ZeroPeriod`.
    ``references`` counts the instances; at zero the series ends. ``holder`` is whose share of the budget it is of.
    """

    __slots__ = ("created_ms", "holder", "references", "total")

    def __init__(self, created_ms: int, total: float = 0) -> None:
        self.created_ms = created_ms
        self.total = total
        self.references = 0
        self.holder = NOBODY

    def holds(self, value: float) -> bool:
        """Return whether the sum stays finite with a value: infinity would stay for as long as the series."""
        return math.isfinite(self.total + value)


class Gauge:
    """The newest value of each instance, by client; combined when it is exposed.

    Nearly always there is one instance, so that one is kept without a dict of 230 bytes.
    """

    __slots__ = ("client", "holder", "more", "shared", "value")

    def __init__(self) -> None:
        self.holder = NOBODY
        self.client: str | None = None
        self.value: float = math.nan
        self.more: dict[str, float] | None = None
        self.shared: dict[str, int] | None = None
        """How many slots of a client feed it beside the first: of attributes that fall together as labels."""

    def join(self, client: str) -> None:
        """Count a slot that feeds it from now on."""
        if self.of(client) is None:
            self.put(client, math.nan)
        else:
            self.shared = self.shared or {}
            self.shared[client] = self.shared.get(client, 0) + 1

    def put(self, client: str, value: float) -> None:
        """Set a client's value."""
        if self.client == client or (self.client is None and not self.more):
            self.client, self.value = client, value
        elif self.more is None:
            self.more = {client: value}
        else:
            self.more[client] = value

    def of(self, client: str) -> float | None:
        """Return a client's value."""
        return self.value if self.client == client else (self.more or {}).get(client)

    def drop(self, client: str) -> bool:
        """Take a slot of a client away, with its value if it is the last; says whether no value is left."""
        if self.shared and client in self.shared:
            self.shared[client] -= 1
            if not self.shared[client]:
                del self.shared[client]
            return False
        if self.client == client:
            self.client = None
        elif self.more is not None:
            self.more.pop(client, None)
        return self.client is None and not self.more

    def combined(self, rule: Combine) -> float:
        """Combine the instances; those that say NaN (Java's average of nothing) are left out unless all do."""
        if self.more is None:
            return self.value
        values = [*self.more.values(), *([self.value] if self.client is not None else [])]
        numbers = [value for value in values if not math.isnan(value)]
        if not numbers:
            return math.nan
        match rule:
            case "sum":
                return sum(numbers)
            case "max":
                return max(numbers)
            case "min":
                return min(numbers)
            case "mean":
                # Divided first: finite values can add up to more than a double holds.
                return (
                    math.fsum(value / len(numbers) for value in numbers)
                    if all(map(math.isfinite, numbers))
                    else sum(numbers)
                )


class Histogram:
    """A classic histogram that only grows, in the client's unit; a counter otherwise."""

    __slots__ = ("bounds", "count", "counts", "created_ms", "holder", "references", "total")

    def __init__(self, created_ms: int, bounds: tuple[float, ...]) -> None:
        self.created_ms = created_ms
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total: float = 0
        self.count = 0
        self.references = 0
        self.holder = NOBODY

    def holds(self, value: float) -> bool:
        """Return whether the sum stays finite with a value."""
        return math.isfinite(self.total + value)

    def add(self, value: Buckets) -> None:
        """Add an increment with the same bounds."""
        for index, count in enumerate(value.counts):
            self.counts[index] += count
        self.total += value.total
        self.count += value.count


Series = Counter | Gauge | Histogram
SeriesKey = tuple[str, str]
"""Label text of the identity and of the point's own attributes; the first is one object for all series of a client."""


def fresh_series(type_: str, value: float | Buckets, now_ms: int) -> Series:
    """Return an empty series of a family's type; a histogram has the bounds of ``value``."""
    if type_ == "histogram" and isinstance(value, Buckets):
        return Histogram(now_ms, value.bounds)
    return Gauge() if type_ == "gauge" else Counter(now_ms)


def cost(series: Series) -> int:
    """How many samples the series takes of the budget."""
    return len(series.counts) + 2 if isinstance(series, Histogram) else 1


def alike(series: Series, now_ms: int) -> Series:
    """Make a series that can go on where another ends."""
    if isinstance(series, Histogram):
        return Histogram(now_ms, series.bounds)
    return Gauge() if isinstance(series, Gauge) else Counter(now_ms)


class Life(NamedTuple):
    """The last cumulative value of one start, and its time in nanoseconds since 1970."""

    last: float | Buckets
    time_ns: int


class Slot:
    """What one client's attributes of one metric feed, and what is needed to turn its next value into an increment.

    ``last`` is the last cumulative value or the running level, ``start_ns`` and ``time_ns`` its start and time by the
    client's clock; ``lives`` are the last values of its other starts. ``push`` is the number of the client's push that
    fed it last. ``factor`` turns a value as sent into a stored one. ``total`` and ``count`` are what this client alone
    has added to a counter or histogram, of increments since ``since_ns`` by its clock; 0 is not known. ``buckets`` are
    what it has added to a histogram since the bounds are theirs.
    """

    __slots__ = (
        "buckets",
        "count",
        "factor",
        "family",
        "last",
        "lives",
        "push",
        "series",
        "series_key",
        "since_ns",
        "start_ns",
        "time_ns",
        "total",
    )

    def __init__(self, family: int, series_key: SeriesKey, series: Series | None) -> None:
        self.family = family
        self.series_key = series_key
        self.series = series
        self.last: float | Buckets | None = None
        self.start_ns = 0
        self.time_ns = 0
        self.lives: dict[int, Life] | None = None
        self.push = 0
        self.factor: float = 1
        self.total: float = 0
        self.count = 0
        self.buckets: Buckets | None = None
        self.since_ns = 0

    def add(self, value: Buckets) -> None:
        """Add an increment of a histogram."""
        before = self.buckets
        if before is None or before.bounds != value.bounds:
            self.buckets = value
        else:
            counts = tuple(map(operator.add, before.counts, value.counts))
            self.buckets = Buckets(value.bounds, counts, before.total + value.total, before.count + value.count)
        self.total += value.total
        self.count += value.count
