"""Numbers that sources give: who gives them, how they come in a batch, and what seals say of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kwitness.jobs.frame.intervals import EMPTY, Intervals, size, within

MAX_RANGES = 1024
"""Ranges of one source that are told apart; one is closed in most windows, since totals take numbers as well."""
MAX_EXAMPLES = 20

SEALS = "seals"
OBSERVER = "Observer"
INTERCEPTORS = "Interceptors"
PLUGIN = "Plugin"
OTLP = "Otlp"
SEALING = frozenset({OBSERVER, INTERCEPTORS})
"""Kinds of sources that seal their windows."""


class Run(NamedTuple):
    """Numbers without a gap.

    Attributes
    ----------
    since_ms
        The earliest time in Kafka of one of their records.
    """

    first: int
    last: int
    since_ms: int


class Island(NamedTuple):
    """A run of one topic, within a batch."""

    topic: str
    first: int
    last: int
    since_ms: int


class Seal(NamedTuple):
    """What a source says of the records of one topic in a window.

    Attributes
    ----------
    seq
        Its own number.
    first, last
        Numbers of those records; where there is none, `last` is below `first`, or both are the seal's own.
    counted
        Records of these numbers that were not dropped.
    time_ms
        Its time in Kafka.
    """

    seq: int
    topic: str
    first: int
    last: int
    counted: int
    time_ms: int
    window_end_ms: int | None = None
    dropped: tuple[tuple[str, int], ...] = ()

    @property
    def numbers(self) -> Intervals:
        """The numbers of its records."""
        return EMPTY if self.last < self.first or self.first == self.seq else ((self.first, self.last),)

    def lacks(self, seen: Intervals) -> int:
        """Records that are in its count and were not found."""
        found = size(within(seen, self.first, self.last)) if self.numbers else 0
        return max(0, min(self.counted, size(self.numbers)) - found)


class TopicSums(NamedTuple):
    """What was found in one topic, and what the seals say of it."""

    found: int = 0
    sealed: int = 0
    first_seq: int | None = None

    def with_found(self, count: int, first: int) -> TopicSums:
        """After more records of it."""
        return TopicSums(
            self.found + count, self.sealed, first if self.first_seq is None else min(first, self.first_seq)
        )


class Settled(NamedTuple):
    """What was judged of numbers below the floor."""

    numbers: int = 0
    missing: int = 0
    unsealed: int = 0
    untold: int = 0
    ranges: int = 0
    gaps: Intervals = EMPTY


NOTHING_SETTLED = Settled()


class Batch(NamedTuple):
    """What a batch has of the epoch; each number is in one island, and has one seal at most."""

    records: int
    first_ms: int
    last_ms: int
    islands: tuple[Island, ...]
    seals: tuple[Seal, ...]


def runs(parts: Iterable[Run]) -> tuple[Run, ...]:
    """Runs that have all numbers of some, each with the earliest of their times."""
    found: list[Run] = []
    for one in sorted(parts):
        if found and one.first <= found[-1].last + 1:
            before = found[-1]
            found[-1] = Run(before.first, max(before.last, one.last), min(before.since_ms, one.since_ms))
        else:
            found.append(one)
    return tuple(found)


def pairs(of: Iterable[Run]) -> Intervals:
    """The numbers of runs."""
    return tuple((run.first, run.last) for run in of)
