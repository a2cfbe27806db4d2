"""Sentences about what is known to be wrong with a client's software."""

from __future__ import annotations

from kwitness.contracts.software_defects import SoftwareDefect, defects_of

__all__ = ["known_wrong"]


def known_wrong(name: str | None, version: str | None) -> list[str]:
    """Return a sentence for each defect of a software in this version: its effect, what fixes it, and its source."""
    return [_sentence(defect) for defect in defects_of(name or "", version or "")]


def _sentence(defect: SoftwareDefect) -> str:
    return (
        f"It {defect.effect} ({defect.id}): upgrade it to {defect.software} {' or '.join(defect.fixed_in)}. Source: "
        f"{defect.source}."
    )
