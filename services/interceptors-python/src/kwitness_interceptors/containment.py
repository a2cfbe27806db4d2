"""What interceptors raise goes no further: it is counted, and logged now and then."""

from __future__ import annotations

import logging
import signal
import threading
import time
from types import CodeType
from typing import Optional

__all__ = ["FAILURES", "Failures", "is_contained", "reason_of"]

_LOG_EVERY_S = 60.0
_LONGEST_REASON = 300
_MOST_PLACES = 1_000
_OTHER_PLACE = ("other", "other")

_LOG = logging.getLogger("kwitness.interceptors")


class Failures:
    """Counts by class and hook; logs each of them once a minute at most, with topic and partition."""

    def __init__(self) -> None:
        # A handler of a signal may come here on the thread that holds it.
        self._lock = threading.RLock()
        self._counts: dict[tuple[str, str], int] = {}
        self._logged: dict[tuple[str, str], tuple[float, int]] = {}

    def begin_again(self) -> None:
        """Begin again after a fork, whose lock may be held by a thread that is not here."""
        self.__init__()  # type: ignore[misc] # as a new process has it

    def counts(self) -> dict[tuple[str, str], int]:
        """Return how often each hook of each class failed so far."""
        with self._lock:
            return dict(self._counts)

    def add(
        self, name: str, hook: str, reason: str, *, topic: Optional[str] = None, partition: Optional[int] = None
    ) -> None:
        """Count a failure of the interceptor of this class name; never raises."""
        try:
            since = self._count(name, hook)
            if since:
                _LOG.warning(
                    "Interceptor %s failed in %s (topic %s, partition %s; %d since the last such line): %s",
                    *(name, hook, topic, partition, since, reason),
                )
        except Exception:  # noqa: BLE001 - handlers of the application's log may raise, too
            return

    def note(self, name: str, what: str) -> None:
        """Count something that is let through, such as a changed key; it is not logged."""
        with self._lock:
            place = self._place(name, what)
            self._counts[place] = self._counts.get(place, 0) + 1

    def _place(self, name: str, what: str) -> tuple[str, str]:
        place = (name, what)
        return place if place in self._counts or len(self._counts) < _MOST_PLACES else _OTHER_PLACE

    def _count(self, name: str, hook: str) -> int:
        """Return how many are to be told now; 0 while the last line is not a minute old."""
        now = time.monotonic()
        with self._lock:
            place = self._place(name, hook)
            self._counts[place] = self._counts.get(place, 0) + 1
            logged_at, told = self._logged.get(place, (float("-inf"), 0))
            if now - logged_at < _LOG_EVERY_S:
                return 0
            self._logged[place] = (now, self._counts[place])
            return self._counts[place] - told


FAILURES = Failures()
"""Those of this process."""


def reason_of(error: BaseException) -> str:
    """What was raised, in one line of bounded length."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - its text is the interceptor's own code, too
        text = ""
    kind = type(error).__name__
    return f"{kind}: {text}"[:_LONGEST_REASON] if text else kind


def is_contained(error: BaseException) -> bool:
    """Whether it is the interceptor's own, rather than something that was meant for the application.

    Signals arrive between any two instructions, so a Ctrl-C or the SystemExit of a server's handler (gunicorn ends its
    workers so) may be raised while a hook runs; greenlets are ended likewise.
    """
    if isinstance(error, Exception):
        return True
    return isinstance(error, SystemExit) and not _raised_by_handler(error)


def _raised_by_handler(error: BaseException) -> bool:
    handlers = {_code_of(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def _code_of(handler: object) -> Optional[CodeType]:
    handler = getattr(handler, "func", handler)  # functools.partial
    handler = getattr(handler, "__func__", handler)
    code = getattr(handler, "__code__", None)
    return code if isinstance(code, CodeType) else None
