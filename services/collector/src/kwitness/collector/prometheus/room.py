"""The budget of series: who gets one, what goes to the series `other`, and what ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kwitness.collector.fairness import NOBODY, Shares
from kwitness.collector.prometheus.families import Family
from kwitness.collector.prometheus.series import Counter, Gauge, Histogram, Series, SeriesKey, cost

_OTHERS: Final = 10
"""Samples of the histograms that hold what did not fit may be one for so many of the budget, beside it."""


class SeriesRoom:
    """Room for ``most`` samples; ``overflowed`` counts series that found none, by why."""

    def __init__(self, most: int) -> None:
        self.shares = Shares(most)
        self.overflowed: dict[str, int] = {}
        self._others = 0

    def overflow(self, reason: str, count: int = 1) -> None:
        """Count series without room."""
        self.overflowed[reason] = self.overflowed.get(reason, 0) + count

    def find(self, family: Family, labels: SeriesKey, holder: str, fresh: Series) -> Series | None:
        """Return the series of labels, ``fresh`` if there is none, or `other` if there is no room; None for a gauge."""
        found = family.series.get(labels)
        if found is not None:
            return found
        if self.shares.has_room(holder, cost(fresh)):
            self.begin(family, labels, holder, fresh)
            return fresh
        self.overflow(family.type)
        return self.other(family, fresh)

    def begin(self, family: Family, labels: SeriesKey, holder: str, fresh: Series) -> None:
        """Add a series that there is room for."""
        family.series[labels] = fresh
        fresh.holder = holder
        self.shares.take(holder, cost(fresh))

    def other(self, family: Family, fresh: Series) -> Counter | Histogram | None:
        """Return the series of what has none of its own; None for what cannot be added up, or has no room there."""
        if isinstance(fresh, Gauge):
            return None
        family.other_fed = True
        if family.other is None:
            # Counters are one sample of a family, of which there are not many.
            size = cost(fresh) if isinstance(fresh, Histogram) else 0
            if self._others + size > self.shares.most // _OTHERS:
                return None
            self._others += size
            family.other = fresh
        return family.other

    def end(self, family: Family, labels: SeriesKey, series: Series) -> None:
        """Take a series away that nobody feeds any more, if it is still there."""
        if series is not family.other and family.series.get(labels) is series:
            del family.series[labels]
            self.shares.take(series.holder, -cost(series))

    def hand_over(self, family: Family, labels: SeriesKey, series: Series | None, before: str, after: str) -> None:
        """Count a series that one held as another one's."""
        if series is not None and series.holder == before and family.series.get(labels) is series:
            self.shares.move(before, after, cost(series))
            series.holder = after

    def measure(self, families: Iterable[Family]) -> None:
        """Find out again how much is taken of what is beside the budget."""
        self._others = sum(cost(one.other) for one in families if isinstance(one.other, Histogram))

    def restore(self, families: Iterable[Family]) -> None:
        """Take what a state file had for taken, by nobody."""
        restored = list(families)
        self.measure(restored)
        self.shares = Shares(self.shares.most)
        self.shares.take(NOBODY, sum(cost(one) for family in restored for one in family.series.values()))
