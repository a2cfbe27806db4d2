"""Offsets as a few ranges, coalesced as every writer of kwitness does (contracts/vectors)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MOST_RANGES", "OffsetRanges"]

MOST_RANGES = 8


class OffsetRanges:
    """Ascending ranges, both ends included, none touching the next; `merged` counts gaps closed for want of room."""

    __slots__ = ("merged", "ranges")

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []
        self.merged = 0

    def add(self, offset: int) -> None:
        """Add an offset; nothing if it is negative."""
        if offset < 0:
            return
        ranges = self.ranges
        if ranges and ranges[-1][1] + 1 == offset:
            # Nearly all: one after the other.
            ranges[-1] = (ranges[-1][0], offset)
            return
        self.add_range(offset, offset)

    def add_all(self, offsets: Sequence[int]) -> None:
        """Add offsets in their order; those that are negative are left out."""
        first = offsets[0]
        if list(offsets) == list(range(first, first + len(offsets))):
            # Nearly always: one after the other.
            ranges = self.ranges
            if ranges and ranges[-1][1] + 1 == first > 0:
                ranges[-1] = (ranges[-1][0], offsets[-1])
                return
            if first >= 0:
                self.add_range(first, offsets[-1])
                return
        for offset in offsets:
            self.add(offset)

    def add_range(self, first: int, last: int) -> None:
        """Add the offsets from `first` to `last`; nothing if there are none, or one is negative."""
        if first < 0 or last < first:
            return
        touching = [one for one in self.ranges if one[0] <= last + 1 and one[1] >= first - 1]
        apart = [one for one in self.ranges if one not in touching]
        new = (min([first, *(one[0] for one in touching)]), max([last, *(one[1] for one in touching)]))
        self.ranges = ranges = sorted([*apart, new])
        if len(ranges) > MOST_RANGES:
            gaps = [after[0] - before[1] for before, after in zip(ranges, ranges[1:])]
            at = gaps.index(min(gaps))
            ranges[at : at + 2] = [(ranges[at][0], ranges[at + 1][1])]
            self.merged += 1
