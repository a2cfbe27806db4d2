"""Blocking calls, each in a thread of its own, for which the end of the process does not wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

__all__ = ["in_own_thread"]

T = TypeVar("T")


async def in_own_thread(work: Callable[[], T]) -> T:
    """Do ``work`` beside the event loop and return what it returns.

    A thread of asyncio's own would be waited for at the end of the process: half a minute where a broker does not
    answer, which is longer than a pod has.
    """
    answer: Future[T] = Future()
    answer.set_running_or_notify_cancel()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            answer.set_exception(error)

    threading.Thread(target=run, name="kafka", daemon=True).start()
    return await asyncio.wrap_future(answer)
