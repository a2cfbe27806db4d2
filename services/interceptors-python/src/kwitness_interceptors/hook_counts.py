"""How often hooks are called and fail, and how long they take."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ONE_IN", "HookCount", "HookSum"]

ONE_IN = 64
"""One call in so many is timed, the first one among them: the clock would cost more than what it measures."""


class HookSum(NamedTuple):
    """Calls of one hook, errors among them, and the nanoseconds that all of them took, by the timed ones."""

    calls: int
    errors: int
    time_ns: int


class HookCount:
    """Counts of one hook of one interceptor; threads that call it at the same time may lose a call."""

    __slots__ = ("calls", "errors", "timed", "timed_ns")

    def __init__(self) -> None:
        self.calls = self.errors = self.timed = self.timed_ns = 0

    def begin(self) -> bool:
        """Count a call; return whether it is to be timed."""
        self.calls = calls = self.calls + 1
        return calls % ONE_IN == 1

    def add_time(self, took_ns: int) -> None:
        """Add a call that was timed."""
        self.timed += 1
        self.timed_ns += took_ns

    def sum(self) -> HookSum:
        """Return what there is so far."""
        return HookSum(self.calls, self.errors, self.timed_ns * self.calls // self.timed if self.timed else 0)
