"""The data points of one push as the rest of the collector sees them, whatever wire format they came in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    """What a metric's values mean; text, because text is hashed without a call into Python."""

    GAUGE = "gauge"
    DELTA = "delta"
    """Monotonic sum since the last push."""
    CUMULATIVE = "cumulative"
    """Monotonic sum since ``start_ns``."""
    LEVEL = "level"
    """Cumulative sum that may fall: a gauge that adds over instances."""
    LEVEL_DELTA = "level_delta"
    """Change of such a level since the last push."""
    HISTOGRAM_DELTA = "histogram_delta"
    HISTOGRAM_CUMULATIVE = "histogram_cumulative"


ADDED: Final = frozenset({Kind.DELTA, Kind.HISTOGRAM_DELTA})
"""Kinds that only grow by values since the last push."""
INCREMENTS: Final = ADDED | {Kind.LEVEL_DELTA}
"""Kinds that change by values since the last push."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """A classic histogram: ``counts`` has one entry more than ``bounds``, which are upper, inclusive and rising."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    total: float
    count: int


Attributes = tuple[tuple[str, str], ...]
"""A point's own attributes, sorted: they are a set."""

Point = tuple[Attributes, float | Buckets, int, int]
"""Attributes, value, start and time in nanoseconds since 1970; a plain tuple, because it is made for every value."""


class MetricPoints(NamedTuple):
    """All points of one metric in one push, with the name and unit as the client sent them."""

    name: str
    unit: str
    kind: Kind
    points: list[Point]


class Decoded(NamedTuple):
    """What a push says; ``unsupported`` counts points left out, ``beyond`` those after the most that are read."""

    metrics: list[MetricPoints]
    unsupported: int
    beyond: int = 0
