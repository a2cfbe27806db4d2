"""Windows of time: which one something belongs to, which of them are computed again, and what their rows begin with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField

from kwitness.jobs.frame.facts import day_of

#: Ranges of one predicate; beyond that, the smallest gaps between them are computed again as well.
MAX_RANGES = 16

WINDOW_COLUMNS = (
    StructField("day", DateType(), True, {"comment": "Day in UTC on which the window begins."}),
    StructField("window_seconds", IntegerType(), True, {"comment": "Length of the window."}),
    StructField("window_start_ms", LongType(), True, {"comment": "First millisecond of the window, since 1970."}),
    StructField("window_end_ms", LongType(), True, {"comment": "First millisecond after the window."}),
)
"""The first columns of each table of windows; the frame fills them."""

STATE = StructField(
    "state",
    StringType(),
    True,
    {
        "comment": "sealed: each source that reported of the window has said that this is all, and all of it is here; "
        "grace: the time for that is over; open: neither yet."
    },
)
"""The last column of a job's own; the frame fills it, too."""


class Span(NamedTuple):
    """Windows that follow each other: from the start of the first to the end of the last, in milliseconds."""

    start: int
    end: int


def base_seconds(window_seconds: float) -> int:
    """The length of a job's shortest windows: whole seconds."""
    return max(1, round(window_seconds))


def longer_lengths(base: int, lengths: Iterable[int]) -> tuple[int, ...]:
    """Those of the lengths that can be put together from windows of the one before, in seconds, ascending."""
    found: list[int] = []
    below = base
    for length in sorted(lengths):
        if length > below and length % below == 0:
            found.append(length)
            below = length
    return tuple(found)


def window_start(milliseconds: Column, seconds: int) -> Column:
    """The start of the window that holds a time."""
    return milliseconds - F.pmod(milliseconds, F.lit(seconds * 1000))


def start_of(milliseconds: int, seconds: int) -> int:
    """The same of a number."""
    return milliseconds - milliseconds % (seconds * 1000)


def spans(starts: Iterable[int], seconds: int, most: int = MAX_RANGES) -> tuple[Span, ...]:
    """The windows with these starts as few spans: at most `most`, with as little between them as can be."""
    return joined((Span(start, start + seconds * 1000) for start in starts), most)


def joined(several: Iterable[Span], most: int = MAX_RANGES) -> tuple[Span, ...]:
    """Spans put together where they touch, then where the gaps are smallest, until there are at most `most`."""
    found: list[Span] = []
    for start, end in sorted(several):
        if found and start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(end, found[-1].end))
        else:
            found.append(Span(start, end))
    if len(found) <= most:
        return tuple(found)
    gaps = sorted(range(1, len(found)), key=lambda at: found[at].start - found[at - 1].end)
    kept = sorted(gaps[len(found) - most :])
    edges = [0, *kept, len(found)]
    return tuple(Span(found[a].start, found[b - 1].end) for a, b in pairwise(edges))


def widened(several: Iterable[Span], seconds: int) -> tuple[Span, ...]:
    """The spans of longer windows that hold these."""
    return joined(
        Span(start_of(one.start, seconds), start_of(one.end - 1, seconds) + seconds * 1000) for one in several
    )


def inside(several: Sequence[Span], milliseconds: str = "window_start_ms") -> str:
    """The condition in SQL that a start is in one of the spans, by the column `day` first."""
    if not several:
        return "false"
    days = f"day >= DATE'{day_of(several[0].start)}' AND day <= DATE'{day_of(several[-1].end - 1)}'"
    ranges = " OR ".join(f"({milliseconds} >= {one.start} AND {milliseconds} < {one.end})" for one in several)
    return f"({days} AND ({ranges}))"
