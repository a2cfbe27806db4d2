"""One queue per kind: keys are coalesced, worked on by one worker at a time, and tried again as the error's class says.

kopf retries nothing for ``on.event`` handlers, and what it does for the others it keeps in annotations, which would be
API writes. So retry, back-off and resync are here.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import logging
import random
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from kwitness.operator import metrics
from kwitness.operator.model.errors import OperatorError, TerminalError

__all__ = ["WORKERS", "Requeue", "WorkQueue"]

K = TypeVar("K", bound=Hashable)

_FIRST_DELAY: Final = 0.5
"""Seconds before the first retry; doubled each time."""

_LONGEST_DELAY: Final = 60.0
"""Seconds; one attempt a minute costs nothing, and what has come back should not be waited for."""

_MOST_DOUBLINGS: Final = 7
"""From here on the longest delay counts; without a bound the power outgrows a float after half a day of failures."""

_MOST_REPLACED: Final = 1000
"""Replaced entries that may stay, beside as many as there are keys."""

WORKERS: Final = 4
"""Of a queue whose work is short."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Requeue:
    """When to look at a key again, though nothing happens.

    ``after`` is in seconds, None means at the resync. ``waiting`` says that nothing is known yet, good or bad: somebody
    was asked and wakes the key, and how often it has failed before is not forgotten.
    """

    after: float | None = None
    forget: bool = False
    waiting: bool = False

    @classmethod
    def never(cls) -> Requeue:
        """The resource is gone."""
        return cls(forget=True)


class WorkQueue(Generic[K]):
    """Keys waiting for their time.

    Parameters
    ----------
    kind
        Label in metrics and logs.
    reconcile
        Works on one key. It raises `TerminalError` (looked at again at resync), `TransientError` or anything else
        (tried again with growing, jittered intervals), or returns `Requeue`.
    resync
        Seconds after which a key is looked at requeue.
    workers
        Keys worked on at the same time.
    """

    def __init__(
        self, kind: str, reconcile: Callable[[K], Awaitable[Requeue]], *, resync: float, workers: int = WORKERS
    ) -> None:
        self.kind = kind
        self._reconcile = reconcile
        self._resync = resync
        self._workers = workers
        self._due: dict[K, float] = {}
        self._order: list[tuple[float, int, K]] = []
        """Heap of all keys by their time; entries that an earlier time replaced stay until theirs comes."""
        self._entries = itertools.count()
        self._failures: dict[K, int] = {}
        self._busy: dict[K, float] = {}
        """When work on each key began, in seconds since 1970."""
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        metrics.WORKQUEUE_DEPTH.labels(kind=kind).set_function(self._depth)
        metrics.RECONCILE_SINCE.labels(kind=kind).set_function(self._oldest)

    def add(self, key: K, delay: float = 0.0) -> None:
        """Have ``key`` looked at in ``delay`` seconds, or earlier if it already waits for an earlier time."""
        due = time.monotonic() + delay
        if due < self._due.get(key, float("inf")):
            self._due[key] = due
            self._place(key)
            self._changed.set()

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            while True:
                self._changed.clear()
                delay = self._start_what_is_due()
                # Not `wait_for`: in Python 3.11 it loses a cancellation that comes together with the event.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(delay):
                        await self._changed.wait()
        finally:
            for task in self._tasks:
                task.cancel()

    def _start_what_is_due(self) -> float | None:
        """Return the seconds until the next key is due; None if the queue must change before any is."""
        while self._order and len(self._busy) < self._workers:
            due, _, key = self._order[0]
            delay = due - time.monotonic()
            is_current = self._due.get(key) == due and key not in self._busy
            if is_current and delay > 0:
                return delay
            heapq.heappop(self._order)
            if is_current:
                del self._due[key]
                self._busy[key] = time.time()
                task = asyncio.create_task(self._work(key))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        return None

    def _place(self, key: K) -> None:
        heapq.heappush(self._order, (self._due[key], next(self._entries), key))
        if len(self._order) > _MOST_REPLACED + 2 * len(self._due):
            self._order = [(due, next(self._entries), key) for key, due in self._due.items()]
            heapq.heapify(self._order)

    async def _work(self, key: K) -> None:
        started = time.monotonic()
        result = "error"
        delay: float | None = self._resync
        try:
            requeue = await self._reconcile(key)
            result, delay = "success", self._delay(requeue)
            if not requeue.waiting:
                self._failures.pop(key, None)
        except TerminalError as error:
            self._failures.pop(key, None)
            result = "settled"
            _log.info("Waiting for a change", extra={"kind": self.kind, "key": str(key), "reason": error.reason})
        except Exception as error:  # noqa: BLE001 - whatever it was, the key is tried again and the trouble is counted
            delay = self._fail(key, error)
        finally:
            # Whatever went wrong, here too: the worker is free again and the key is not forgotten.
            self._finish(key, result, delay)
            metrics.RECONCILE_DURATION.labels(kind=self.kind).observe(time.monotonic() - started)

    def _delay(self, requeue: Requeue) -> float | None:
        if requeue.forget:
            return None
        # Spread, so that a hundred resources made by one kubectl apply do not stay in step for ever.
        resync = self._resync * random.uniform(0.9, 1.1)  # noqa: S311
        return resync if requeue.after is None else min(resync, requeue.after)

    def _fail(self, key: K, error: Exception) -> float:
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        longest: float = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(failures, _MOST_DOUBLINGS))
        delay = min(longest * random.uniform(0.5, 1.0), self._resync)  # noqa: S311
        metrics.RECONCILE_ERRORS.labels(kind=self.kind).inc()
        extra = {"kind": self.kind, "key": str(key), "retry_seconds": round(delay, 1)}
        if isinstance(error, OperatorError):
            _log.warning("Will try again", extra={**extra, "reason": error.reason, "detail": error.message})
        else:
            _log.error("Reconcile failed with an unexpected error; retrying", extra=extra, exc_info=error)
        return delay

    def _finish(self, key: K, result: str, delay: float | None) -> None:
        metrics.RECONCILE.labels(kind=self.kind, result=result).inc()
        self._busy.pop(key, None)
        if delay is not None:
            self.add(key, delay)
        if key in self._due:  # its entry may have come up while it was worked on
            self._place(key)
        self._changed.set()

    def _depth(self) -> int:
        now = time.monotonic()
        return sum(due <= now for due in list(self._due.values()))  # copied at once: a scrape has its own thread

    def _oldest(self) -> float:
        return min(list(self._busy.values()), default=0.0)
