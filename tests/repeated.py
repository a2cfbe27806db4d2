"""Work that is repeated in a thread beside a test."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def repeated(work: Callable[[], object], seconds: float) -> Iterator[None]:
    """Do `work` again and again beside a block, with a pause of so many seconds before each time."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            work()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
