"""Reasons of conditions: stable words to script on, each with what it means and what to do."""

from __future__ import annotations

from .registry_entries import Reason
from .tables.reasons import ENTRIES

__all__ = ["REASONS", "Reason", "reason", "reasons_of"]

REASONS: tuple[Reason, ...] = ENTRIES
"""All reasons."""

_BY_WORD = {entry.reason: entry for entry in ENTRIES}


def reason(word: str) -> Reason:
    """Return the entry for a reason.

    Raises
    ------
    KeyError
        If the registry has no such reason: add it to contracts/registry/reasons.yaml.
    """
    return _BY_WORD[word]


def reasons_of(kind: str) -> tuple[Reason, ...]:
    """Return the reasons that a resource of `kind` may show."""
    return tuple(entry for entry in ENTRIES if not entry.kinds or kind in entry.kinds)
