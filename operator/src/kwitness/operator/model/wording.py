"""Lists of names in messages, which may be long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

__all__ = ["some"]

_MOST: Final = 5

T = TypeVar("T", str, int)


def some(names: Iterable[T]) -> str:
    """The first names in order, and how many there are beyond."""
    known = sorted(names)
    more = f" and {len(known) - _MOST} more" if len(known) > _MOST else ""
    return ", ".join(map(str, known[:_MOST])) + more
