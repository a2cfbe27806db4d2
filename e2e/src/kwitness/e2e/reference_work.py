"""Times a fixed piece of work beside tests and the demo, so that figures of two machines can be compared."""

from __future__ import annotations

import hashlib
import json
import statistics
import threading
import time
import zlib
from types import TracebackType
from typing import Final, Self

__all__ = ["ReferenceClock", "fixed_work"]

_EVERY_S: Final = 30.0
_ROUNDS: Final = 60
_DOCUMENT: Final = {f"key-{number}": {"values": list(range(40)), "name": str(number) * 8} for number in range(60)}


def fixed_work() -> float:
    """CPU-seconds of the piece of work on this machine now: JSON, hashes, compression, sorting; about 0.1 s."""
    began = time.thread_time()
    for number in range(_ROUNDS):
        text = json.dumps({**_DOCUMENT, "round": number}).encode()
        packed = zlib.compress(text, 6)
        words = sorted(json.loads(zlib.decompress(packed)), reverse=True)
        hashlib.sha256("".join(words).encode() + text * 20).digest()
    return time.thread_time() - began


class ReferenceClock:
    """Times the piece of work now and then inside its block, beside other work."""

    def __init__(self, *, every_s: float = _EVERY_S) -> None:
        self._every_s = every_s
        self._seconds = [fixed_work()]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure, name="reference-work", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def seconds(self) -> float:
        """Median CPU-seconds of the piece of work so far."""
        return statistics.median(self._seconds)

    def _measure(self) -> None:
        while not self._ended.wait(self._every_s):
            self._seconds.append(fixed_work())
