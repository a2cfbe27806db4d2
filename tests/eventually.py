"""Waiting for the system, with the last thing seen in the failure.

A wait ends as soon as what it waits for is there, so its limit costs nothing where all is well: it is long enough for
a small machine that has much else to do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE_S: Final = 60.0
"""How long a test waits for what takes a moment on an idle machine."""


def eventually(
    look: Callable[[], T], holds: Callable[[T], object] = bool, *, seconds: float = PATIENCE_S, every: float = 0.5
) -> T:
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


async def eventually_beside(look: Callable[[], T], holds: Callable[[T], object] = bool) -> T:
    """Wait as `eventually` does, in a thread: what is waited for runs in this event loop."""
    return await asyncio.to_thread(eventually, look, holds)


def remains(look: Callable[[], T], holds: Callable[[T], object], *, seconds: float, every: float = 1.0) -> T:
    """Look for the whole time; every look must hold. Return the last."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        assert holds(seen), f"no longer: {seen!r}"
        if time.monotonic() > deadline:
            return seen
        time.sleep(every)
