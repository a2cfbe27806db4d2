"""Resources whose owner paused them, and what their statuses say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.standstill import PAUSE_ANNOTATION, is_paused
from kwitness.operator.model.conditions import Verdict

__all__ = ["paused", "stands_still"]


def stands_still(body: Mapping[str, Any]) -> bool:
    """Whether a resource, as the API server has it, is paused."""
    return is_paused(body["metadata"].get("annotations") or {})


def paused(what: str) -> Verdict:
    """Neither ready nor not: ``what`` is left as it is."""
    message = f"{what} while the annotation {PAUSE_ANNOTATION} is true: remove it to go on"
    return Verdict("Ready", "Unknown", "Paused", message)
