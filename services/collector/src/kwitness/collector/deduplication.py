"""Which events were taken already: the last 10,000 sequence numbers of each source and epoch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import Final

WINDOW: Final = 10_000
_MASK: Final = (1 << WINDOW) - 1
MAX_SOURCES: Final = 4_096
"""Sources remembered, the least recently heard from forgotten first: brokers and replicas are far fewer."""


class SequenceWindow:
    """The last `WINDOW` numbers as bits below the highest one. A number older than that counts as new.

    Counting a very late event twice is repaired by its event id downstream; refusing it would lose it. ``lock`` keeps
    two requests with events of one source from overtaking each other.
    """

    __slots__ = ("_bits", "highest", "lock")

    def __init__(self, highest: int = -1, bits: int = 0) -> None:
        self.highest = highest
        self._bits = bits
        self.lock = asyncio.Lock()

    def __contains__(self, seq: int) -> bool:
        behind = self.highest - seq
        return 0 <= behind < WINDOW and bool(self._bits >> behind & 1)

    def add(self, seq: int) -> None:
        """Remember a number."""
        ahead = seq - self.highest
        if ahead > 0:
            self._bits = ((self._bits << ahead) | 1) & _MASK if ahead < WINDOW else 1
            self.highest = seq
        elif -ahead < WINDOW:
            self._bits |= 1 << -ahead

    def as_row(self) -> list[object]:
        """Return plain values for the state file."""
        return [self.highest, f"{self._bits:x}"]


class Deduplication:
    """The windows of all sources."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, int], SequenceWindow] = {}

    def window(self, source: str, epoch: int) -> SequenceWindow:
        """Return the window of an epoch of a source, making room when there are too many."""
        key = (source, epoch)
        window = self._windows.pop(key, None) or SequenceWindow()
        self._windows[key] = window
        if len(self._windows) > MAX_SOURCES:
            oldest = next((one for one, held in self._windows.items() if not held.lock.locked()), None)
            if oldest is not None and oldest != key:
                del self._windows[oldest]
        return window

    def dump(self) -> Iterator[list[object]]:
        """Yield rows for the state file."""
        for (source, epoch), window in self._windows.items():
            yield ["seen", source, epoch, *window.as_row()]

    def load(self, rows: Iterable[list[object]]) -> None:
        """Take rows back; raises ValueError or TypeError if they are something else."""
        for row in rows:
            _, source, epoch, highest, bits = row
            key = (str(source), int(str(epoch)))
            self._windows[key] = SequenceWindow(int(str(highest)), int(str(bits), 16) & _MASK)
