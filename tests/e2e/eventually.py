"""Waiting for the platform: also what its components log shows that something moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from kwitness.sandbox.waiting import Sign, wait_until

T = TypeVar("T")

STILL_S: Final = 120.0
"""A window of an observer, a scrape, a push and a look of the operator may have to follow each other."""
SIGNS: Final[list[Sign]] = []
"""Of the node that the tests use; its fixture fills them in."""


def eventually(
    look: Callable[[], T],
    holds: Callable[[T], object] = bool,
    *,
    still_s: float = STILL_S,
    every: float | None = None,
) -> T:
    """Look again and again until what is seen holds; return it. See `kwitness.sandbox.waiting.wait_until`."""
    return wait_until(look, holds, signs=SIGNS, still_s=still_s, every=every)
