"""Offsets as a few ranges, coalesced: the reference that writers of `offset_ranges` are checked against."""

from __future__ import annotations

from typing import Final

__all__ = ["MAX_OFFSET_RANGES", "OffsetRanges"]

MAX_OFFSET_RANGES: Final = 8
"""How many ranges are kept."""


class OffsetRanges:
    """Ranges in ascending order, both ends included, none touching the next.

    Beyond `MAX_OFFSET_RANGES` the two with the fewest offsets between them become one, the first two of those alike;
    `merged` counts how often.
    """

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []
        self.merged = 0

    def add(self, first: int, last: int) -> None:
        """Add the offsets from `first` to `last`; nothing if there are none, or one is negative."""
        if first < 0 or last < first:
            return
        apart = [one for one in self.ranges if one[1] < first - 1 or one[0] > last + 1]
        touching = [one for one in self.ranges if one not in apart]
        new = (min([first, *(one[0] for one in touching)]), max([last, *(one[1] for one in touching)]))
        self.ranges = sorted([*apart, new])
        if len(self.ranges) > MAX_OFFSET_RANGES:
            gaps = [after[0] - before[1] for before, after in zip(self.ranges, self.ranges[1:], strict=False)]
            at = gaps.index(min(gaps))
            self.ranges[at : at + 2] = [(self.ranges[at][0], self.ranges[at + 1][1])]
            self.merged += 1
