"""Headers that a register's policy Warn is about, in the application's log."""

from __future__ import annotations

import logging
import threading
import time

__all__ = ["WARNINGS", "HeaderWarnings"]

_LOG_EVERY_S = 60.0
_MOST_PLACES = 1_000
_LONGEST_KEY = 128

_LOG = logging.getLogger("kwitness.interceptors")


class HeaderWarnings:
    """Logs each key and problem once a minute at most, and no value."""

    def __init__(self) -> None:
        # A handler of a signal may come here on the thread that holds it.
        self._lock = threading.RLock()
        self._places: dict[tuple[str, str], tuple[float, int]] = {}

    def begin_again(self) -> None:
        """Begin again after a fork, whose lock may be held by a thread that is not here."""
        self.__init__()  # type: ignore[misc] # as a new process has it

    def add(self, topic: str, key: str, problem: str) -> None:
        """Log that a header is not as it is registered, or that a record lacks it; never raises."""
        try:
            count = self._count((key[:_LONGEST_KEY], problem))
            if count:
                _LOG.warning(
                    "Header %r of a record of topic %s is %s (%d since the last such line)",
                    *(key[:_LONGEST_KEY], topic, problem, count),
                )
        except Exception:  # noqa: BLE001 - handlers of the application's log may raise, too
            return

    def _count(self, place: tuple[str, str]) -> int:
        """Return how many are to be told now; 0 while the last line is not a minute old."""
        now = time.monotonic()
        with self._lock:
            if place not in self._places and len(self._places) >= _MOST_PLACES:
                return 0
            logged_at, count = self._places.get(place, (float("-inf"), 0))
            if now - logged_at < _LOG_EVERY_S:
                self._places[place] = (logged_at, count + 1)
                return 0
            self._places[place] = (now, 0)
            return count + 1


WARNINGS = HeaderWarnings()
"""Those of this process."""
