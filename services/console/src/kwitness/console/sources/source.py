"""A source of the index: reads again and again, and keeps how old and how complete its last answer is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal

from kwitness.answers.failure import CommandFailedError
from kwitness.console.index.database import IndexFullError
from kwitness.console.index.processor_share import ProcessorShare

__all__ = ["PERIOD_S", "Source", "SourceState"]

PERIOD_S: Final = 15.0
"""Seconds from one read of a source to the next."""


class SourceState:
    """How old and how complete the rows of a source are, as pages show it.

    Attributes
    ----------
    name
        What is read, as pages name it.
    as_of_ms
        When the last successful read began, in milliseconds since 1970; None before it.
    lacks
        What that answer lacks.
    problem
        Why the last read failed, and what to do; None where it succeeded.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.as_of_ms: int | None = None
        self.lacks: tuple[str, ...] = ()
        self.problem: str | None = None

    @property
    def state(self) -> Literal["loading", "complete", "partial", "failed"]:
        """The state that pages show: failed and partial also where an earlier answer is still shown."""
        if self.problem is not None:
            return "failed"
        if self.as_of_ms is None:
            return "loading"
        return "partial" if self.lacks else "complete"


class Source(SourceState):
    """A source that is read again and again.

    Parameters
    ----------
    read
        Reads it into the index, on a thread of its own; returns what the answer lacks, in sentences.
    changed
        Called after each read.
    worked_beside
        Returns the seconds of processor time that other processes took for the last read.

    Attributes
    ----------
    worked_s
        Seconds of a processor that the last successful read took.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[], Sequence[str]],
        *,
        changed: Callable[[], None],
        period_s: float = PERIOD_S,
        worked_beside: Callable[[], float] = lambda: 0.0,
    ) -> None:
        super().__init__(name)
        self._read = read
        self._changed = changed
        self._period_s = period_s
        self._worked_beside = worked_beside
        self.worked_s = 0.0
        self._reading = asyncio.Lock()

    async def read_once(self) -> None:
        """Read it once, after a read that is going on: that may have missed what was just written."""
        async with self._reading:
            await self._read_now()

    async def _read_now(self) -> None:
        began_ms = int(time.time() * 1000)
        try:
            self.lacks, self.worked_s = await asyncio.to_thread(self._measured)
        except (CommandFailedError, IndexFullError) as error:
            self.problem = str(error)
        else:
            self.as_of_ms, self.problem = began_ms, None
        self._changed()

    async def read_forever(self, share: ProcessorShare) -> None:
        """Read it again and again, with a pause after each read."""
        while True:
            await self.read_once()
            await asyncio.sleep(share.pause_s(self._period_s))

    def _measured(self) -> tuple[tuple[str, ...], float]:
        """Read, and return what the answer lacks and the seconds of processor time that reading it took."""
        began = time.thread_time()
        lacks = tuple(self._read())
        return lacks, time.thread_time() - began + self._worked_beside()
