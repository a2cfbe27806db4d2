"""Which numbers of an observer were taken, are in work, or are final: what makes each of them count once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

AHEAD: Final = 65_536
"""Numbers remembered above the lowest one that its source still holds; what lies beyond comes later."""
MAX_SOURCES: Final = 4_096
"""Sources remembered, each with 8 KiB at most; the least recently heard from is forgotten first."""


class Claim(NamedTuple):
    """What is to be done with numbers: ``fresh`` ones are in work until `SourceNumbers.take` or `release`."""

    fresh: frozenset[int]
    known: frozenset[int]
    later: frozenset[int]


class SourceNumbers:
    """The numbers of one epoch of one source. Everything below ``settled`` is final; bit i stands for settled + i."""

    __slots__ = ("_bits", "_busy", "settled")

    def __init__(self) -> None:
        self.settled = 0
        self._bits = 0
        self._busy: set[int] = set()

    @property
    def at_work(self) -> bool:
        """Whether a request with numbers of this source is under way."""
        return bool(self._busy)

    def settle(self, settled: int) -> None:
        """Learn that every number below ``settled`` will not come again; it never falls."""
        if settled > self.settled:
            self._bits >>= settled - self.settled
            self.settled = settled

    def claim(self, numbers: Iterable[int]) -> Claim:
        """Sort numbers; one that another request has in work comes later."""
        fresh: set[int] = set()
        known: set[int] = set()
        later: set[int] = set()
        for number in numbers:
            ahead = number - self.settled
            if ahead < 0 or (ahead < AHEAD and self._bits >> ahead & 1):
                known.add(number)
            elif ahead >= AHEAD or number in self._busy:
                later.add(number)
            else:
                fresh.add(number)
        self._busy |= fresh
        return Claim(frozenset(fresh), frozenset(known), frozenset(later))

    def take(self, numbers: Iterable[int]) -> None:
        """Remember numbers in work as taken."""
        taken = 0
        for number in numbers:
            self._busy.discard(number)
            if number >= self.settled:
                taken |= 1 << (number - self.settled)
        self._bits |= taken

    def release(self, numbers: Iterable[int]) -> None:
        """Forget that numbers are in work: they may come again."""
        self._busy.difference_update(numbers)


class EventNumbers:
    """The numbers of all sources and epochs."""

    def __init__(self, max_sources: int = MAX_SOURCES) -> None:
        self._max = max_sources
        self._sources: dict[tuple[str, int], SourceNumbers] = {}

    def of(self, source: str, epoch: int) -> SourceNumbers:
        """Return the numbers of an epoch of a source, making room when there are too many sources."""
        key = (source, epoch)
        numbers = self._sources.pop(key, None) or SourceNumbers()
        if len(self._sources) >= self._max:
            idle = next((one for one, held in self._sources.items() if not held.at_work), None)
            if idle is not None:
                del self._sources[idle]
        self._sources[key] = numbers
        return numbers
