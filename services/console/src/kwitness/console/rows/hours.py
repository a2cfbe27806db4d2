"""Reads and writes hours in addresses: whole hours in UTC, such as 2026-11-24T14:00Z."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

__all__ = ["HOUR_MS", "hour_of", "hour_text"]

HOUR_MS: Final = 3_600_000
_HOUR: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,3})?)?Z?")
"""Fields of the type datetime-local send minutes, some browsers seconds, and no Z."""


def hour_of(text: str) -> int | None:
    """Return the start of the hour that a text is in, in milliseconds since 1970; None where it is no such time."""
    found = _HOUR.fullmatch(text)
    try:
        start = datetime.strptime(found[1], "%Y-%m-%dT%H").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None
    return None if start is None or start.year < 1970 else int(start.timestamp()) * 1000  # noqa: PLR2004 - of the field


def hour_text(start_ms: int) -> str:
    """Return the start of an hour as addresses have it."""
    return datetime.fromtimestamp(start_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")
