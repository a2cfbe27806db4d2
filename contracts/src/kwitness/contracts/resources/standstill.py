"""The two ways to hold a resource, the same on every kind: `spec.suspend` takes its effect away, a pause keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

__all__ = ["PAUSE_ANNOTATION", "is_paused", "suspend_field"]

PAUSE_ANNOTATION: Final = "kwitness.dev/pause"
"""While it is "true" on a resource, the operator writes nothing for that resource but its status."""


def suspend_field(effect: str) -> Any:
    """Return the field `suspend`; `effect` says what becomes of the resource's effect."""
    return Field(False, description=f"While true, {effect}.")


def is_paused(annotations: Mapping[str, str]) -> bool:
    """Whether a resource with these annotations is paused."""
    return annotations.get(PAUSE_ANNOTATION) == "true"
