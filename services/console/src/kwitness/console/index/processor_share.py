"""Paces what fills the index: all of it takes two seconds of a processor a minute, however large the fleet is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

__all__ = ["PAUSE_FOR_WORK", "ProcessorShare", "Worker"]

PAUSE_FOR_WORK: Final = 30
"""Seconds of pause for each second of a processor: a large fleet makes rows older, and not the machine slow."""


class Worker(Protocol):
    """A part of the work that is repeated, with the processor time that it took the last time."""

    worked_s: float


class ProcessorShare:
    """Pauses of all workers, each for as long as all of them together ask for."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = workers

    def pause_s(self, least_s: float) -> float:
        """Return the seconds until a worker works again, `least_s` for a small fleet."""
        return max(least_s, PAUSE_FOR_WORK * sum(worker.worked_s for worker in self._workers))
