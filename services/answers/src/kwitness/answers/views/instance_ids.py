"""Client instance ids, shortened as far as they stay apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["shortened"]

_SHORTEST: Final = 8


def shortened(ids: Iterable[str]) -> dict[str, str]:
    """The beginning of each id, of one length, at least 8 characters, such that no two are the same."""
    known = set(ids)
    length = _SHORTEST
    while len({one[:length] for one in known}) < len(known):
        length += 1
    return {one: one[:length] for one in known}
