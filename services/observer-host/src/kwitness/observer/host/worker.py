"""One observer at work: a queue with bounds, and a thread that makes the observer and calls it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from kwitness.observer.calls import Call
from kwitness.observer.host.ledger import Ledger
from kwitness.observer.interface import Observer
from kwitness.observer.loading import UnusableObserverError, reason_of

__all__ = ["CLOSING", "QUEUE_FULL", "RAISED", "UNUSABLE", "Worker"]

RAISED: Final = "raised"
QUEUE_FULL: Final = "queue_full"
UNUSABLE: Final = "unusable"
CLOSING: Final = "closing"

_MOST_EVENTS: Final = 10_000
_MOST_BYTES: Final = 64 * 1024 * 1024
_STUCK_S: Final = 10.0
"""A call that takes longer is not waited for."""
_LOG_EVERY_S: Final = 60.0

_LOG = logging.getLogger(__name__)


class Worker:
    """Calls one observer, in the order in which events are offered.

    Parameters
    ----------
    name
        The observer's, as metrics and log have it.
    make
        Makes and configures the observer; called on the thread, since it is the observer's code too.
    most_events, most_bytes
        Bounds of the queue; what does not fit is dropped.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Observer],
        *,
        most_events: int = _MOST_EVENTS,
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        self.name = name
        self._make = make
        self._most_events, self._most_bytes = most_events, most_bytes
        self._queue: deque[tuple[Call, int]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._ledger = Ledger()
        self._trouble: str | None = f"configure of observer {name} has not returned yet"
        self._unusable = False
        self._busy_since: float | None = None
        self._drained_by: float | None = None
        """Once it is closing: the monotonic time after which what is queued is dropped."""
        self._close_seconds = 0.0
        self._given_up = False
        self._logged_at = float("-inf")
        self._unlogged = 0
        self._thread = threading.Thread(target=self._work, name=f"observer-{name}", daemon=True)

    @property
    def trouble(self) -> str | None:
        """Why the observer is not called, in one line; None when it is."""
        return self._trouble

    @property
    def has_room(self) -> bool:
        """Whether half of the queue is free."""
        with self._changed:
            return len(self._queue) < self._most_events / 2 and self._bytes < self._most_bytes / 2

    @property
    def call_seconds(self) -> float:
        """For how long the present call has gone on, 0 between calls."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def works(self) -> bool:
        """Whether it is called and does return, so that it can be waited for."""
        return self._trouble is None and self.call_seconds < _STUCK_S

    def ledger(self) -> Ledger:
        """What became of its events so far."""
        with self._changed:
            return self._ledger.copy()

    def start(self) -> None:
        """Make the observer, and call it for what is offered."""
        self._thread.start()

    def offer(self, call: Call, size: int) -> None:
        """Queue an event of ``size`` bytes, or drop it; never waits."""
        with self._changed:
            self._ledger.accepted += 1
            if self._unusable:
                self._ledger.drop(UNUSABLE)
            elif self._drained_by is not None:
                self._ledger.drop(CLOSING)
            elif len(self._queue) >= self._most_events or (self._queue and self._bytes + size > self._most_bytes):
                self._ledger.drop(QUEUE_FULL)
            else:
                self._queue.append((call, size))
                self._bytes += size
                self._ledger.queued += 1
                self._changed.notify()

    def stop(self, *, drain_seconds: float, close_seconds: float) -> None:
        """Call for what is queued within the first time, then `close` within the second; returns after both at most.

        An observer that does not return until then is left alone: nothing calls it any more.
        """
        with self._changed:
            self._drained_by = time.monotonic() + drain_seconds
            self._close_seconds = close_seconds
            self._changed.notify()
        self._thread.join(drain_seconds + close_seconds)
        with self._changed:
            self._given_up = True
            self._drop_queued(CLOSING)
        if self._thread.is_alive():
            _LOG.error(
                "An observer did not return in time; it is left alone",
                extra={"observer": self.name, "seconds": drain_seconds + close_seconds},
            )

    def _work(self) -> None:
        try:
            observer = self._make()
        except UnusableObserverError as error:
            with self._changed:
                self._trouble, self._unusable = f"observer {self.name}: {error}", True
                self._drop_queued(UNUSABLE)
            _LOG.error("An observer cannot be used", extra={"observer": self.name, "detail": str(error)})
            return
        self._trouble = None
        while (call := self._next()) is not None:
            self._call(observer, call)
        if not self._given_up:
            self._close(observer)

    def _next(self) -> Call | None:
        """Wait for an event; None when there will be none."""
        with self._changed:
            while not self._queue and self._drained_by is None:
                self._changed.wait()
            if self._given_up:
                return None
            if self._drained_by is not None and time.monotonic() > self._drained_by:
                self._drop_queued(CLOSING)
            if not self._queue:
                return None
            call, size = self._queue.popleft()
            self._bytes -= size
            self._busy_since = time.monotonic()
            return call

    def _call(self, observer: Observer, call: Call) -> None:
        failure: BaseException | None = None
        try:
            call.make(observer)
        except BaseException as error:  # noqa: BLE001 - whatever it raises, SystemExit too, is its own loss
            failure = error
        with self._changed:
            self._busy_since = None
            if self._given_up:
                return
            self._ledger.queued -= 1
            if failure is None:
                self._ledger.delivered += 1
            else:
                self._ledger.drop(RAISED)
        if failure is not None:
            self._report(failure, observer)

    def _report(self, failure: BaseException, observer: Observer) -> None:
        self._unlogged += 1
        now = time.monotonic()
        if now - self._logged_at >= _LOG_EVERY_S:
            kind = type(observer)
            _LOG.warning(
                "An observer raised and lost events",
                extra={
                    "observer": self.name,
                    "class": f"{kind.__module__}.{kind.__qualname__}",
                    "reason": reason_of(failure),
                    "count": self._unlogged,
                },
            )
            self._logged_at, self._unlogged = now, 0

    def _close(self, observer: Observer) -> None:
        try:
            observer.close(self._close_seconds)
        except BaseException as error:  # noqa: BLE001 - as above
            _LOG.warning(
                "An observer raised when it was closed", extra={"observer": self.name, "reason": reason_of(error)}
            )

    def _drop_queued(self, reason: str) -> None:
        """Give up what is queued, and the call that has not returned."""
        self._ledger.drop(reason, self._ledger.queued)
        self._ledger.queued = self._bytes = 0
        self._queue.clear()
