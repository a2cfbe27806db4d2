"""Tasks that run until the process is to stop, and how they are ended then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

__all__ = ["unless_stopped", "until_stopped"]

_PATIENCE_S: Final = 20.0
"""How long tasks may take to end; Kubernetes kills a pod after 30 s."""

_log = logging.getLogger(__name__)
Result = TypeVar("Result")


async def unless_stopped(work: Coroutine[Any, Any, Result], stop: asyncio.Event) -> Result | None:
    """Return what ``work`` returns, or None once ``stop`` is set. Raises what the work raises."""
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
    for task in (working, stopping):
        task.cancel()
    await asyncio.wait({working, stopping})
    return None if stop.is_set() else working.result()


async def until_stopped(
    tasks: set[asyncio.Task[None]],
    guests: set[asyncio.Task[None]],
    stop: asyncio.Event,
    patience_s: float = _PATIENCE_S,
) -> None:
    """Wait until ``stop`` is set, then end all tasks.

    Parameters
    ----------
    tasks
        Those that are cancelled at once.
    guests
        Those that end by themselves once ``stop`` is set.
    patience_s
        Seconds after which those that have not ended are cancelled once more: Python 3.11 loses a cancellation at the
        moment at which what `asyncio.wait_for` waits for is done.

    Raises
    ------
    RuntimeError
        A task ended by itself.
    """
    stopping = asyncio.create_task(stop.wait(), name="stop")
    try:
        done, _ = await asyncio.wait({*tasks, *guests, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stopping not in done:
            ended = next(iter(done))
            cause = None if ended.cancelled() else ended.exception()
            raise RuntimeError(f"{ended.get_name()} ended by itself") from cause
        _log.info("Stopping")
    finally:
        stop.set()
        for task in tasks:
            task.cancel()
        _, remaining = await asyncio.wait({*tasks, *guests, stopping}, timeout=patience_s)
        for late in remaining:
            _log.warning("A task did not end, and is cancelled once more", extra={"task": late.get_name()})
            late.cancel()
        await asyncio.gather(*remaining, return_exceptions=True)
