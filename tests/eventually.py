"""Waiting for the system in tests: `kwitness.sandbox.waiting` under the names that tests read well with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from confluent_kafka import Producer

from kwitness.sandbox.waiting import Patience, wait_until

T = TypeVar("T")

ANSWER_S: Final = 60.0
"""How long a single request waits for its answer."""

eventually = wait_until
"""Look again and again until what is seen holds; return it. It fails once nothing has moved for a minute."""


async def patiently(ends: Awaitable[T]) -> T:
    """Await what runs in this event loop, for as long as anything moves."""
    task = asyncio.ensure_future(ends)
    with Patience() as patience:
        while not (await asyncio.wait({task}, timeout=patience.pause_s))[0]:
            patience.note(None)
    return task.result()


async def eventually_beside(look: Callable[[], T], holds: Callable[[T], object] = bool) -> T:
    """Wait as `eventually` does, in a thread: what is waited for runs in this event loop."""
    return await asyncio.to_thread(eventually, look, holds)


def deliver(producer: Producer) -> None:
    """Wait until a producer of confluent-kafka has delivered all its records."""
    eventually(lambda: producer.flush(1), lambda left: left == 0, every=0)


def remains(look: Callable[[], T], holds: Callable[[T], object], *, seconds: float, every: float = 1.0) -> T:
    """Look for the whole time; every look must hold. Return the last."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        assert holds(seen), f"no longer: {seen!r}"
        if time.monotonic() > deadline:
            return seen
        time.sleep(every)
