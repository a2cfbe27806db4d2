"""Reports how far a piece of work is: done of all, the time spent, and the time left at this machine's speed so far."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final

from kwitness.images.commands import Progress

__all__ = ["CARGO_BAR", "Measured", "cargo_units"]

_EVERY_S = 15.0
CARGO_BAR: Final = {
    "CARGO_TERM_PROGRESS_WHEN": "always",
    "CARGO_TERM_PROGRESS_WIDTH": "80",
    "CARGO_TERM_COLOR": "never",
}
"""Environment variables by which Cargo prints its progress bar into a pipe."""
_CARGO: Final = re.compile(r"Building \[[=> ]*\] (?P<done>\d+)/(?P<total>\d+)")


class Measured:
    """Passes a line to `progress` now and then; none for work that ends sooner.

    Parameters
    ----------
    unit
        The things that are counted, such as "packages".
    total
        All of them; 0 while it is not known.
    """

    def __init__(self, unit: str, progress: Progress, *, total: int = 0) -> None:
        self._unit = unit
        self._progress = progress
        self._total = total
        self._began = self._reported = time.monotonic()
        self._done = 0

    def step(self) -> None:
        """Count one thing more."""
        self.reach(self._done + 1, self._total)

    def reach(self, done: int, total: int) -> None:
        """Set how many are done, of how many."""
        self._done, self._total = done, total
        now = time.monotonic()
        if 0 < done <= total and now - self._reported >= _EVERY_S:
            self._reported = now
            spent = now - self._began
            left = spent / done * (total - done)
            self._progress(f"{done} of {total} {self._unit}, {spent:.0f} s, about {left:.0f} s left")


def cargo_units(measured: Measured) -> Callable[[str], None]:
    """Return what reads Cargo's progress bar, line by line."""

    def read(line: str) -> None:
        if found := _CARGO.search(line):
            measured.reach(int(found["done"]), int(found["total"]))

    return read
