"""Builds images and brings them to where pods run, beside the steps that need none of them."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

from kwitness.demo import images
from kwitness.images import builder
from kwitness.images.commands import Progress

__all__ = ["ImageSupply"]

_EVERY_S: Final = 0.3
_LONGEST_END_S: Final = 20.0


class ImageSupply:
    """Brings the images that are needed, those of the first parts first.

    Parameters
    ----------
    names
        The images that are needed.
    deliver
        Loads or pushes images, given by reference, and passes lines to the progress that it gets.
    """

    def __init__(self, names: Collection[str], deliver: Callable[[Sequence[str], Progress], object]) -> None:
        batches = ([name for name in batch if name in names] for batch in images.BATCHES)
        self._batches = [batch for batch in batches if batch]
        self._deliver = deliver
        self._built: queue.Queue[dict[str, str] | None] = queue.Queue()
        self._arrived: set[str] = set()
        self._failure: Exception | None = None
        self._last_line = "not begun"
        self._opened = threading.Event()
        steps = {"images": self._build_all, "deliveries": self._deliver_all}
        self._threads = [threading.Thread(target=step, name=name, daemon=True) for name, step in steps.items()]

    def start(self) -> None:
        """Begin to build."""
        for thread in self._threads:
            thread.start()

    def open(self) -> None:
        """Begin to deliver what is built."""
        self._opened.set()

    def wait(self, names: Collection[str], waiting: Progress) -> None:
        """Return once images have arrived; `waiting` gets what is missing and what is done for it.

        Raises
        ------
        Exception
            An image could not be built or delivered.
        """
        while missing := [name for name in names if name not in self._arrived]:
            if self._failure is not None:
                raise self._failure
            waiting(f"images {', '.join(missing)}: {self._last_line}")
            time.sleep(_EVERY_S)

    def end(self) -> None:
        """Wait for a moment until nothing is built or delivered any more."""
        self._opened.set()
        self._batches.clear()
        for thread in self._threads:
            thread.join(_LONGEST_END_S / len(self._threads))

    def _build_all(self) -> None:
        try:
            while self._batches:
                batch = self._batches.pop(0)
                self._built.put(builder.build_all({name: images.ALL[name] for name in batch}, self._note))
        except Exception as failure:  # noqa: BLE001 # raised to all who wait
            self._failure = failure
        self._built.put(None)

    def _deliver_all(self) -> None:
        self._opened.wait()
        try:
            while (built := self._built.get()) is not None:
                self._deliver(list(built.values()), self._note)
                self._arrived |= set(built)
        except Exception as failure:  # noqa: BLE001 # raised to all who wait
            self._failure = failure

    def _note(self, line: str) -> None:
        self._last_line = line
