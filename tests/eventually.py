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


_SHORTEST_S: Final = 0.1
_LONGEST_S: Final = 2.0
_PART: Final = 0.15
"""Of the time waited so far: a look is often a process of its own, and many waits have one processor."""


def eventually(
    look: Callable[[], T],
    holds: Callable[[T], object] = bool,
    *,
    seconds: float = PATIENCE_S,
    every: float | None = None,
) -> T:
    """Look again and again until what is seen holds; return it.

    Looks are `every` so many seconds; without, they become rarer the longer it takes.

    Raises
    ------
    AssertionError
        After `seconds`, with what was seen last.
    """
    began = time.monotonic()
    while True:
        seen = look()
        if holds(seen):
            return seen
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f"after {seconds:.0f} s still: {seen!r}")
        time.sleep(min(max(_SHORTEST_S, waited * _PART), _LONGEST_S) if every is None else every)


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
