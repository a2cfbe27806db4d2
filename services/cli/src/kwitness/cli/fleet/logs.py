"""The partitions' logs: where they end, and how far each group has read."""

from __future__ import annotations

import random

__all__ = ["Logs"]


class Logs:
    """Offsets by topic and partition. A group reads what was there when the window began, but for what it skips."""

    def __init__(self, topics: int, partitions: int, *, skips: float = 0.0, seed: int = 1) -> None:
        self._partitions = partitions
        self._ends = [0] * (topics * partitions)
        self._readable = list(self._ends)
        self._read: dict[tuple[int, int], int] = {}
        self._skips = skips
        # Of its own, so that a fleet that skips is otherwise the same.
        self._dice = random.Random(f"{seed}/skips")  # noqa: S311 - it must be the same again

    def begin_window(self) -> None:
        """What was produced up to now can be read."""
        self._readable = list(self._ends)

    def append(self, topic: int, partition: int, records: int) -> int:
        """Add records; the result is the offset of the first."""
        at = topic * self._partitions + partition
        first = self._ends[at]
        self._ends[at] = first + records
        return first

    def read(self, group: int, topic: int, partition: int) -> tuple[int, int]:
        """Move a group on to the end; the result is the first offset that it read, and how many it did."""
        at = topic * self._partitions + partition
        first, end = self._read.get((group, at), 0), self._readable[at]
        self._read[group, at] = end
        if self._skips and first and self._dice.random() < self._skips:
            first += (end - first) // 2
        return first, end - first

    def lag(self, group: int, topic: int, partition: int) -> int:
        """Return how many records there are after the last that a group read."""
        at = topic * self._partitions + partition
        return self._ends[at] - self._read.get((group, at), 0)
