"""Cuts windows that must be computed into pieces, of which each is a commit of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kwitness.jobs.frame.windows import Span, start_of


class Piece(NamedTuple):
    """Base windows that are computed with one commit, and the longer ones that end with them.

    Attributes
    ----------
    starts
        Of the base windows, in milliseconds, ascending.
    after, until
        Longer windows belong to the piece whose `after` is before their end, and whose `until` is not, in
        milliseconds. None is without a bound: the first piece begins so, the last one ends so.
    """

    starts: Sequence[int]
    after: int | None
    until: int | None

    def ending(self, several: Iterable[Span], seconds: int) -> tuple[Span, ...]:
        """Those of some spans of longer windows, of a length in seconds, that belong to the piece."""
        low = None if self.after is None else start_of(self.after, seconds)
        high = None if self.until is None else start_of(self.until, seconds)
        clipped = (
            Span(
                span.start if low is None else max(span.start, low),
                span.end if high is None else min(span.end, high),
            )
            for span in several
        )
        return tuple(span for span in clipped if span.start < span.end)


def pieces(facts: Mapping[int, int], seconds: int, most: int, after: int | None = None) -> Iterator[Piece]:
    """Cut base windows into pieces, at least one, in the order of time.

    Parameters
    ----------
    facts
        By start of a window, in milliseconds: how many of its facts are new.
    seconds
        The length of these windows.
    most
        Facts of a piece, unless it is of one window.
    after
        Windows that begin earlier are in the table already.
    """
    starts: list[int] = []
    counted = 0
    for start in sorted(start for start in facts if after is None or start >= after):
        if starts and counted + facts[start] > most:
            until = starts[-1] + seconds * 1000
            yield Piece(starts, after, until)
            starts, counted, after = [], 0, until
        starts.append(start)
        counted += facts[start]
    yield Piece(starts, after, None)
