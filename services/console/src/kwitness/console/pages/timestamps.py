"""Points in time as pages and files show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

__all__ = ["timestamp"]

_UNKNOWN: Final = "\N{EN DASH}"


def timestamp(milliseconds: int | None) -> str:
    """Return a time in milliseconds since 1970 to the minute, in UTC; a dash where it is not known or no time."""
    if milliseconds is None:
        return _UNKNOWN
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return _UNKNOWN
