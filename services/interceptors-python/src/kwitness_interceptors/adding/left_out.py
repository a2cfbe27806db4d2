"""What interceptors that add headers have in common: they count records that went without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from kwitness_interceptors.measures.client_counts import ClientCounts, now_ms

__all__ = ["Adding", "Counted"]

Counted = Callable[[str], bool]
"""Whether records of a topic are intercepted now."""


class Adding:
    """Counts what could not be done, as an anomaly of the topic.

    Parameters
    ----------
    counts
        Where it counts; None where nobody would be told.
    counted
        Which topics it acts on.
    """

    def __init__(self, counts: Optional[ClientCounts], counted: Counted) -> None:
        self._counts = counts
        self._counted = counted

    def kwitness_left_out(self, topic: str, reason: str, count: int = 1) -> None:
        """Count records."""
        if self._counts is not None and self._counted(topic):
            with self._counts.lock:
                self._counts.topic(topic, now_ms()).anomalies[reason] += count
