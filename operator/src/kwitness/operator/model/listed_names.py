"""Write names into a message, which has room for ten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["some_of"]

_NAMED: Final = 10


def some_of(names: Sequence[object]) -> str:
    """Return the first names, and that there are others."""
    return ", ".join(map(str, names[:_NAMED])) + (" and others" if len(names) > _NAMED else "")
