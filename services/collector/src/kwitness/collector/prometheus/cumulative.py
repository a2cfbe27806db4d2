"""What is new of a cumulative value, which counts since its start (docs/decisions/0115-what-plain-otlp-counts.md).

Never more is taken than the program counted since what was taken before. So a series that is unknown here counts from
zero only if it is young; the first value of another one is what its next value is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from kwitness.collector.core import Arrival
from kwitness.collector.otlp.points import Buckets
from kwitness.collector.prometheus.series import Life, Slot

_YOUNG_INTERVALS: Final = 2
_YOUNG_MS: Final = 120_000
"""How old a series may be whose client's interval is not known."""
MAX_LIVES: Final = 8
"""Starts remembered of one series beside the last one: processes that say that they are the same, and late messages."""
_NS: Final = 1_000_000


def young_ns(arrival: Arrival | None, alone_since_ms: int) -> int:
    """Return how long before its value's time the start of a series may be that counts from zero."""
    if arrival is None:
        return _YOUNG_MS * _NS
    most = _YOUNG_INTERVALS * arrival.interval_ms if arrival.interval_ms else _YOUNG_MS
    return min(most, arrival.at_ms - alone_since_ms) * _NS


class Span(NamedTuple):
    """What a value counts: from its start to its time by the client's clock, and how long that is while it is young."""

    start_ns: int
    time_ns: int
    young_ns: int

    @property
    def is_young(self) -> bool:
        """Whether nobody can have counted anything of it."""
        return 0 < self.start_ns <= self.time_ns <= self.start_ns + self.young_ns


def increment(slot: Slot, value: float, span: Span) -> float:
    """Turn a cumulative value into what is new of it, and remember it."""
    counted = _counted(slot, value, span, lambda last: not isinstance(last, Buckets) and value < last)
    return value if counted is None or isinstance(counted, Buckets) else value - counted


def buckets_increment(slot: Slot, value: Buckets, span: Span) -> Buckets | None:
    """Do the same for a cumulative histogram; None when nothing is new."""

    def falls(last: float | Buckets) -> bool:
        return (
            not isinstance(last, Buckets)
            or last.bounds != value.bounds
            or any(new < old for new, old in zip(value.counts, last.counts, strict=True))
        )

    counted = _counted(slot, value, span, falls)
    if counted is value:
        return None
    if not isinstance(counted, Buckets):
        return value
    counts = tuple(new - old for new, old in zip(value.counts, counted.counts, strict=True))
    return Buckets(value.bounds, counts, value.total - counted.total, value.count - counted.count)


def _counted(
    slot: Slot, value: float | Buckets, span: Span, falls: Callable[[float | Buckets], bool]
) -> float | Buckets | None:
    """Return what of a value was counted before: itself if nothing is new, None if all of it is."""
    last, start_ns = slot.last, span.start_ns
    if last is None:
        _remember(slot, value, span)
        return None if span.is_young else value
    if start_ns and slot.start_ns and start_ns != slot.start_ns:
        life = slot.lives.pop(start_ns, None) if slot.lives else None
        began_later = start_ns > (slot.time_ns or slot.start_ns)
        _put_aside(slot, slot.start_ns, last)
        if life is None:
            _remember(slot, value, span)
            # A program that was started again; else one beside it, or one whose clock was set back.
            return None if began_later or span.is_young else value
        slot.start_ns = start_ns
        last, slot.time_ns = life
        slot.last = last
    elif not start_ns and not slot.start_ns:
        return _counted_without_start(slot, last, value, span, falls)
    if not falls(last):
        _remember(slot, value, span)
        return last
    if span.time_ns and span.time_ns <= slot.time_ns:
        return value  # an old message, or one that came again
    _remember(slot, value, span)
    return None


def _counted_without_start(
    slot: Slot, last: float | Buckets, value: float | Buckets, span: Span, falls: Callable[[float | Buckets], bool]
) -> float | Buckets:
    """Return the largest value that this one may follow: it does not show which of several processes sent it.

    What follows none is of another process, or of one that was started again, and is what its next value is compared
    with. The other values are the slot's lives, under numbers below zero, where no start is.
    """
    lives = {0: Life(last, slot.time_ns), **(slot.lives or {})}
    followed = [number for number, life in lives.items() if not falls(life.last)]
    if not followed and span.time_ns and span.time_ns <= max(life.time_ns for life in lives.values()):
        return value  # an old message, or one that came again
    largest = max(followed, key=lambda number: _size(lives[number].last), default=None)
    if largest and slot.lives:
        del slot.lives[largest]
    if largest != 0:
        _put_aside(slot, min(lives) - 1, last)
    _remember(slot, value, span)
    return value if largest is None else lives[largest].last


def _size(value: float | Buckets) -> float:
    return value.count if isinstance(value, Buckets) else value


def _remember(slot: Slot, value: float | Buckets, span: Span) -> None:
    slot.last, slot.start_ns, slot.time_ns = value, span.start_ns or slot.start_ns, span.time_ns


def _put_aside(slot: Slot, number: int, last: float | Buckets) -> None:
    if slot.lives is None:
        slot.lives = {}
    slot.lives[number] = Life(last, slot.time_ns)
    if len(slot.lives) > MAX_LIVES:
        del slot.lives[next(iter(slot.lives))]
