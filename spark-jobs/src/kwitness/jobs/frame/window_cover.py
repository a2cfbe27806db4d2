"""Which rows of a table of windows add up to a span of time: as long ones as there are, each moment once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.frame.windows import Span, inside, start_of


class Piece(NamedTuple):
    """Windows of one length, in seconds, that follow each other."""

    seconds: int
    span: Span


def cover(span: Span, base: int, closed: Mapping[int, int]) -> tuple[Piece, ...]:
    """Pieces that follow each other from the beginning of a span to its end.

    Parameters
    ----------
    span
        It begins and ends with windows of the base length.
    base
        The shortest windows' length, in seconds: what longer ones do not cover is of these.
    closed
        By longer length, in seconds: the end of the last window of it that has rows, in milliseconds.
    """
    return tuple(_cover(span, sorted(closed, reverse=True), base, closed))


def last(length_ms: int, now_ms: int, base: int) -> Span:
    """The windows that have ended, back from now as far as the length: at least one.

    Parameters
    ----------
    base
        Length of a window, in seconds.
    """
    end = start_of(now_ms, base)
    windows = max(1, -(-length_ms // (base * 1000)))
    return Span(end - windows * base * 1000, end)


def covered(table: DataFrame, spans: Mapping[str, Span], base: int) -> tuple[DataFrame, dict[str, str]]:
    """The rows of a table of windows that some spans are made of, and by span's name the condition of its own.

    Parameters
    ----------
    base
        Length of the table's shortest windows, in seconds.
    """
    whole = Span(min(one.start for one in spans.values()), max(one.end for one in spans.values()))
    near = table.where(f"{inside((Span(start_of(whole.start, 86_400), whole.end),))} AND window_end_ms <= {whole.end}")
    longer = near.where(F.col("window_seconds") > base).groupBy("window_seconds").agg(F.max("window_end_ms"))
    closed = {row[0]: row[1] for row in longer.collect()}
    places = {name: condition(cover(span, base, closed)) for name, span in spans.items()}
    return near.where(" OR ".join(places.values())), places


def condition(pieces: Iterable[Piece]) -> str:
    """The condition in SQL that a row is of one of the pieces."""
    found = [f"(window_seconds = {seconds} AND {inside((span,))})" for seconds, span in pieces]
    return f"({' OR '.join(found)})" if found else "false"


def _cover(span: Span, lengths: list[int], base: int, closed: Mapping[int, int]) -> Iterable[Piece]:
    if span.start >= span.end:
        return
    if not lengths:
        yield Piece(base, span)
        return
    (longest, *others) = lengths
    first = start_of(span.start + longest * 1000 - 1, longest)
    last = min(start_of(span.end, longest), closed[longest])
    if first >= last:
        yield from _cover(span, others, base, closed)
        return
    yield from _cover(Span(span.start, first), others, base, closed)
    yield Piece(longest, Span(first, last))
    yield from _cover(Span(last, span.end), others, base, closed)
