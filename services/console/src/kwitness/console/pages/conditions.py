"""Conditions of a resource as sentences, each with what to do, as docs/reference/reasons.md has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kwitness.contracts.reasons import REASONS, WARNINGS

__all__ = ["Condition", "conditions_of", "meaning_of"]

_REMEDIES: Final = {(entry.condition, entry.reason): entry.remedy for entry in REASONS}
_MEANINGS: Final = {entry.type: entry.meaning for entry in WARNINGS}


class Condition(NamedTuple):
    """A condition; ``remedy`` is empty where nothing is to be done."""

    type: str
    status: str
    reason: str
    message: str
    remedy: str


def conditions_of(body: Mapping[str, Any]) -> list[Condition]:
    """Return the conditions of a resource; one whose status is True needs no remedy."""
    found = []
    for entry in (body.get("status") or {}).get("conditions") or ():
        kind, status, reason = (str(entry.get(name, "")) for name in ("type", "status", "reason"))
        remedy = "" if status == "True" else _REMEDIES.get((kind, reason), "")
        found.append(Condition(kind, status, reason, str(entry.get("message", "")), remedy))
    return found


def meaning_of(warning: str) -> str:
    """Return what a type of warning means; empty for one of a later release."""
    return _MEANINGS.get(warning, "")
