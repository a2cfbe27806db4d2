"""What a status says of a resource whose owner paused it."""

from __future__ import annotations

from kwitness.contracts.resources.standstill import PAUSE_ANNOTATION
from kwitness.operator.model.conditions import Verdict

__all__ = ["paused"]


def paused(what: str) -> Verdict:
    """Neither ready nor not: ``what`` is left as it is."""
    message = f"{what} while the annotation {PAUSE_ANNOTATION} is true: remove it to go on"
    return Verdict("Ready", "Unknown", "Paused", message)
