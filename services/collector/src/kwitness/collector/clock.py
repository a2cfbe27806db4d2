"""When the clock of the machine was set while this process ran: what waits for a time must not see it pass at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

_TOLERANCE_MS: Final = 2_000
"""Below that it may be a clock that is kept right little by little."""
_NANOSECONDS: Final = 1_000_000


class ClockSteps:
    """Compares the clock with one that only rises; both in nanoseconds."""

    def __init__(self, wall: Callable[[], int] = time.time_ns, steady: Callable[[], int] = time.monotonic_ns) -> None:
        self._wall = wall
        self._steady = steady
        self._offset = wall() - steady()

    def step_ms(self) -> int:
        """Return by how many milliseconds the clock was set since this was asked last, negative for back, or 0."""
        offset = self._wall() - self._steady()
        step_ms = (offset - self._offset) // _NANOSECONDS
        if abs(step_ms) < _TOLERANCE_MS:
            return 0
        self._offset = offset
        return step_ms
