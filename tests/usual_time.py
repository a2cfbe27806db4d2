"""Compares processor time with that of a machine of usual speed: others slow down its processor and use its caches."""

from __future__ import annotations

from typing import Final

from kwitness.e2e.reference_work import fixed_work

__all__ = ["usual_s"]

_USUAL_WORK_S: Final = 0.05
"""CPU-seconds of the fixed piece of work where figures of budgets come from."""


def usual_s(seconds: float) -> float:
    """Return the CPU-seconds, on a machine of usual speed, of work that has just been done here in so many."""
    return seconds / max(1.0, fixed_work() / _USUAL_WORK_S)
