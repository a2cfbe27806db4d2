"""Amounts as a person reads them."""

from __future__ import annotations

from typing import Final

from .elapsed import span

__all__ = ["amount_text", "lag_text"]

_PREFIXES: Final = "kMGTPE"
_STEP: Final = 1_000
_DIGITS: Final = 3


def amount_text(amount: float | None) -> str | None:
    """Return three digits with a prefix of SI, such as 1.25M or 0.5; None if the amount is not known."""
    if amount is None:
        return None
    value, prefix = amount, ""
    for larger in _PREFIXES:
        if abs(float(f"{value:.{_DIGITS}g}")) < _STEP:
            break
        value, prefix = value / _STEP, larger
    return f"{float(f'{value:.{_DIGITS}g}'):g}{prefix}"


def lag_text(milliseconds: int | None, records: int | None) -> str | None:
    """Return a lag in time, in records where its time is not known; None without lag at all."""
    if milliseconds is not None:
        return span(milliseconds)
    return None if records is None else f"{amount_text(records)} records"
