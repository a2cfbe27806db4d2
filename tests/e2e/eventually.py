"""Waiting for the system, with the last thing seen in the failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(look: Callable[[], T], holds: Callable[[T], object], *, seconds: float, every: float = 1.0) -> T:
    """Look again and again until what is seen holds; return it.

    Raises
    ------
    AssertionError
        After `seconds`, with what was seen last.
    """
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if holds(seen):
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds:.0f} s still: {seen!r}")
        time.sleep(every)


def remains(look: Callable[[], T], holds: Callable[[T], object], *, seconds: float, every: float = 1.0) -> T:
    """Look for the whole time; every look must hold. Return the last."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        assert holds(seen), f"no longer: {seen!r}"
        if time.monotonic() > deadline:
            return seen
        time.sleep(every)
