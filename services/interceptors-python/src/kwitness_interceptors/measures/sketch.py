"""Distributions on the table of integer bounds that every writer of kwitness shares (contracts/vectors)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

__all__ = ["BOUNDS", "Sketch"]

_LONGEST = 86_400_000_000
_MOST = 2**62
"""What a sum in a row is at most: ages of records of 1970 add up to more."""


def _bounds() -> list[int]:
    bounds = [1]
    while bounds[-1] < _LONGEST:
        bounds.append(max(bounds[-1] + 1, bounds[-1] * 101 // 99))
    return bounds


BOUNDS = _bounds()
"""Upper bounds of the buckets, in microseconds or bytes."""
_LAST = len(BOUNDS) - 1
_SMALLER_THAN = 4_096
_SMALL = [bisect_left(BOUNDS, value) for value in range(_SMALLER_THAN)]
"""The buckets of small values, which need no search."""


class Sketch:
    """Counts by the first bound that is not below a value, and the sum of the values."""

    __slots__ = ("buckets", "sum")

    def __init__(self) -> None:
        self.buckets: dict[int, int] = {}
        self.sum = 0

    def add(self, value: int, count: int = 1) -> None:
        """Count a value, or several that are the same."""
        bucket = _SMALL[value] if 0 <= value < _SMALLER_THAN else min(bisect_left(BOUNDS, value), _LAST)
        buckets = self.buckets
        buckets[bucket] = buckets.get(bucket, 0) + count
        self.sum += value * count

    def merge(self, other: Sketch) -> None:
        """Add what another one counted."""
        for bucket, count in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count
        self.sum += other.sum

    @property
    def bounded_sum(self) -> int:
        """The sum, as rows can hold it."""
        return min(self.sum, _MOST)

    def by_bounds(self, bounds: Sequence[int]) -> list[int]:
        """Return counts by the bounds of a histogram, not added up; the last one is beyond all of them."""
        counts = [0] * (len(bounds) + 1)
        for bucket, count in self.buckets.items():
            counts[bisect_left(bounds, BOUNDS[bucket])] += count
        return counts
