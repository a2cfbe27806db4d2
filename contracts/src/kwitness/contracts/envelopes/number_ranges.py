"""Sets of numbers as text, such as 1-340,342."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["RANGES", "ranges_of"]

RANGES = r"^([0-9]{1,19}(-[0-9]{1,19})?(,[0-9]{1,19}(-[0-9]{1,19})?)*)?$"
"""What such a text looks like; an empty one holds no number."""


def ranges_of(numbers: Iterable[int]) -> str:
    """Write numbers as rising ranges, both ends included."""
    parts: list[str] = []
    first = last = None
    for number in sorted(set(numbers)):
        if last is not None and number == last + 1:
            last = number
            continue
        parts += _part(first, last)
        first = last = number
    parts += _part(first, last)
    return ",".join(parts)


def _part(first: int | None, last: int | None) -> list[str]:
    if first is None:
        return []
    return [str(first) if first == last else f"{first}-{last}"]
