"""How long hooks take: one call in 64 is timed, for the times would cost more than what they measure."""

from __future__ import annotations

import threading
from time import perf_counter_ns
from typing import NamedTuple

__all__ = ["HOOK_TIMES", "ONE_IN", "HookTime", "HookTimes"]

ONE_IN = 64


class HookTime(NamedTuple):
    """Timed calls of one hook, and their sum in nanoseconds."""

    calls: int
    sum_ns: int


class HookTimes:
    """Sums by class and hook."""

    def __init__(self) -> None:
        self._turn = 0
        self._lock = threading.Lock()
        self._sums: dict[tuple[str, str], HookTime] = {}

    def start(self) -> int:
        """Return when the call began, in nanoseconds, or 0 where it is not timed."""
        # Threads may lose a turn to each other: it is a sample.
        self._turn = turn = self._turn + 1
        return perf_counter_ns() if not turn % ONE_IN else 0

    def stop(self, name: str, hook: str, started: int) -> None:
        """Add a call that was timed."""
        took = perf_counter_ns() - started
        with self._lock:
            calls, sum_ns = self._sums.get((name, hook), HookTime(0, 0))
            self._sums[name, hook] = HookTime(calls + 1, sum_ns + took)

    def sums(self) -> dict[tuple[str, str], HookTime]:
        """Return the sums so far."""
        with self._lock:
            return dict(self._sums)


HOOK_TIMES = HookTimes()
"""Those of this process."""
