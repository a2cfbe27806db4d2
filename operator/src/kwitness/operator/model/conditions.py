"""Conditions as values: what a status says about one aspect, and how times and order are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kwitness.operator.model.errors import OperatorError

__all__ = ["Verdict", "conditions_of", "failure", "ready"]

_MESSAGE_LENGTH = 4096


@dataclass(frozen=True, slots=True)
class Verdict:
    """One aspect's state, before it gets its time."""

    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str


def ready(reason: str, message: str) -> Verdict:
    """Ready, and why."""
    return Verdict("Ready", "True", reason, message)


def failure(error: OperatorError) -> Verdict:
    """Not ready, because of ``error``."""
    return Verdict(
        "Ready", "Unknown" if error.reason in {"Paused", "InternalError"} else "False", error.reason, error.message
    )


def conditions_of(
    verdicts: Sequence[Verdict], *, previous: Iterable[dict[str, Any]], generation: int, now: str
) -> list[dict[str, Any]]:
    """Render ``verdicts`` as conditions, Ready first.

    A condition keeps its ``lastTransitionTime`` while its status is the same; ``now`` is RFC 3339 in UTC.
    """
    before = {condition["type"]: condition for condition in previous}
    rendered = []
    for verdict in sorted(verdicts, key=lambda one: one.type != "Ready"):
        old = before.get(verdict.type)
        kept = old["lastTransitionTime"] if old and old["status"] == verdict.status else now
        rendered.append(
            {
                "type": verdict.type,
                "status": verdict.status,
                "reason": verdict.reason,
                "message": verdict.message[:_MESSAGE_LENGTH],
                "lastTransitionTime": kept,
                "observedGeneration": generation,
            }
        )
    return rendered
