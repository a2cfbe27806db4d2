"""Conditions as values: what a status says about one aspect, and how times and order are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kwitness.contracts.reasons import kstatus
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
    """Render ``verdicts`` as conditions, Ready first, then what kstatus wants beside it: Reconciling or Stalled.

    Those two are there only while they are True. A condition keeps its ``lastTransitionTime`` while its status is the
    same; ``now`` is RFC 3339 in UTC.
    """
    before = {condition["type"]: condition for condition in previous}
    rendered = []
    first = [one for one in verdicts if one.type == "Ready"]
    others = [one for one in verdicts if one.type != "Ready"]
    for verdict in (*first, *(beside for one in first for beside in _beside(one)), *others):
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


def _beside(ready: Verdict) -> Iterable[Verdict]:
    if ready.status != "True" and (type_ := kstatus(ready.reason)) != "none":
        yield Verdict(type_, "True", ready.reason, ready.message)
