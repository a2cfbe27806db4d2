"""Whole numbers that a column of type long holds; sums in Python have no bound, and Arrow refuses larger ones."""

from __future__ import annotations

from typing import Any

LARGEST_LONG = 2**63 - 1


def as_longs(value: Any) -> Any:
    """A value of a row with the numbers in it, at any depth, cut to the largest and smallest that a column holds."""
    match value:
        case int() if not isinstance(value, bool):
            return max(-LARGEST_LONG - 1, min(LARGEST_LONG, value))
        case dict():
            return {key: as_longs(entry) for key, entry in value.items()}
        case list() | tuple():
            return type(value)(as_longs(entry) for entry in value)
        case _:
            return value
