"""Durations as Go and CEL write them: `100ms`, `30s`, `1h30m`."""

from __future__ import annotations

import re
from datetime import timedelta
from types import EllipsisType
from typing import Any

from pydantic import Field

from .contract_model import Rule, rules

__all__ = ["DURATION_PATTERN", "duration_field", "duration_text", "parse_duration"]

DURATION_PATTERN = r"^([0-9]{1,9}(ms|s|m|h))+$"
"""Whole numbers with units, so that each duration is a whole number of milliseconds, as Kafka wants it."""

_PART = re.compile(r"([0-9]{1,9})(ms|s|m|h)")
_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
}


def parse_duration(text: str) -> timedelta:
    """Return the length of time that `text` names.

    Raises
    ------
    ValueError
        If `text` is not one or more whole numbers, each with the unit ms, s, m or h.
    """
    if not re.fullmatch(DURATION_PATTERN, text):
        raise ValueError(f"{text!r} is not a duration: write whole numbers with ms, s, m or h, such as 30s or 1h30m")
    return sum((int(count) * _UNITS[unit] for count, unit in _PART.findall(text)), timedelta())


def duration_text(duration: timedelta) -> str:
    """Return `duration` as people write it, such as `1h30m`; parts of a millisecond are left out."""
    left, parts = duration // timedelta(milliseconds=1), []
    for unit, size in reversed(_UNITS.items()):
        count, left = divmod(left, size // timedelta(milliseconds=1))
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def duration_field(default: str | EllipsisType | None, description: str, *, minimum: str, maximum: str) -> Any:
    """Return a pydantic field for a duration between `minimum` and `maximum`, both included, checked by CEL.

    One whose default is `...` must be given.
    """
    within = f"duration(self) >= duration('{minimum}') && duration(self) <= duration('{maximum}')"
    # What is no duration is refused by the pattern, and `duration` would fail on it with an error of CEL's.
    within = f"!self.matches('{DURATION_PATTERN}') || ({within})"
    return Field(
        default,
        description=f"{description} A duration from {minimum} to {maximum}, such as 30s or 1h30m.",
        pattern=DURATION_PATTERN,
        max_length=32,
        json_schema_extra=rules(Rule(within, f"must be a duration from {minimum} to {maximum}, such as 30s or 1h30m")),
    )
