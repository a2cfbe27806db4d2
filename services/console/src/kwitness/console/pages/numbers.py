"""Numbers as pages show them: three digits, with their unit."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from kwitness.answers.views.amounts import amount_text

__all__ = ["amount", "clock", "count", "rate"]

_NARROW_SPACE: Final = "\N{NARROW NO-BREAK SPACE}"
_UNKNOWN: Final = "\N{EN DASH}"


def count(number: int | None) -> str:
    """Return a whole number with its thousands apart."""
    return _UNKNOWN if number is None else f"{number:,}".replace(",", _NARROW_SPACE)


def amount(number: float | None) -> str:
    """Return three digits with a prefix of SI, such as 1.25k; a dash where it is not known."""
    return amount_text(number) or _UNKNOWN


def rate(bytes_per_s: float | None) -> str:
    """Return bytes a second with their unit, such as 1.25 MB/s."""
    text = amount_text(bytes_per_s)
    if text is None:
        return _UNKNOWN
    digits = text.rstrip("kMGTPE")
    return f"{digits}\N{NO-BREAK SPACE}{text[len(digits) :]}B/s"


def clock(seconds: int) -> str:
    """Return the hour and minute, UTC, of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M")
