"""Stable words to script on: reasons of conditions, types of warnings, reasons of Kubernetes events."""

from __future__ import annotations

from typing import Literal

from .registry_entries import KubernetesEvent, Reason, WarningType
from .tables import kubernetes_events, warnings
from .tables.reasons import ENTRIES

__all__ = [
    "KUBERNETES_EVENTS",
    "REASONS",
    "WARNINGS",
    "KubernetesEvent",
    "Reason",
    "WarningType",
    "kstatus",
    "reason",
    "reasons_of",
    "remedy",
]

REASONS: tuple[Reason, ...] = ENTRIES
"""All reasons of conditions."""

WARNINGS: tuple[WarningType, ...] = warnings.ENTRIES
"""All types of warnings in statuses."""

KUBERNETES_EVENTS: tuple[KubernetesEvent, ...] = kubernetes_events.ENTRIES
"""All events that the operator writes."""

_BY_WORD = {entry.reason: entry for entry in reversed(ENTRIES)}
_KSTATUS = {entry.reason: entry.kstatus for entry in ENTRIES if entry.condition == "Ready"}


def reason(word: str) -> Reason:
    """Return the entry for a reason, of the first condition that has it.

    Raises
    ------
    KeyError
        If the registry has no such reason: add it to contracts/registry/reasons.yaml.
    """
    return _BY_WORD[word]


def remedy(word: str) -> str:
    """Return what the registry says to do about a reason, as the end of a message: without capital and full stop.

    Raises
    ------
    KeyError
        If the registry has no such reason: add it to contracts/registry/reasons.yaml.
    """
    text = _BY_WORD[word].remedy
    return text[0].lower() + text[1:].rstrip(".")


def kstatus(word: str) -> Literal["Stalled", "Reconciling", "none"]:
    """Return the condition that stands beside Ready while Ready is not True for this reason."""
    return _KSTATUS.get(word, "none")


def reasons_of(kind: str) -> tuple[Reason, ...]:
    """Return the reasons that a resource of `kind` may show."""
    return tuple(entry for entry in ENTRIES if not entry.kinds or kind in entry.kinds)
