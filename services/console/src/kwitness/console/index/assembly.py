"""Puts the index together again after its sources have read, once for several of them."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from kwitness.console.index.database import Database, IndexFullError
from kwitness.console.index.hour_totals import HourTotals
from kwitness.console.index.members import rebuild
from kwitness.console.index.processor_share import ProcessorShare
from kwitness.console.index.reader_schemas import ReaderSchemas
from kwitness.console.index.trends import Trends

__all__ = ["Assembly"]

_PAUSE_S: Final = 5.0
"""Sources answer at about the same time."""


class Assembly:
    """Makes `members` and `flows` again, of all rows and of those of each set of namespaces in use.

    Attributes
    ----------
    readers
        The index as each reader sees it.
    is_made
        True once that was done with an answer of a source.
    problem
        Why it failed the last time, and what to do; None where it succeeded. The tables before it stay.
    worked_s
        Seconds of a processor that it took the last time.
    """

    def __init__(self, database: Database) -> None:
        self.is_made = False
        self.problem: str | None = None
        self.worked_s = 0.0
        self.readers = ReaderSchemas(database)
        self._database = database
        self._trends = Trends()
        self._hour_totals = HourTotals()
        self._changed = asyncio.Event()

    def request(self) -> None:
        """Have it made again."""
        self._changed.set()

    async def make_once(self) -> None:
        """Make it again, after the next request at the earliest."""
        await self._changed.wait()
        self._changed.clear()
        try:
            await asyncio.to_thread(self._make)
        except IndexFullError as error:
            self.problem = str(error)
        else:
            self.is_made, self.problem = True, None

    def _make(self) -> None:
        began = time.thread_time()
        rebuild(self._database)
        now_ms = int(time.time() * 1000)
        self._trends.add(self._database, now_ms)
        self._hour_totals.add(self._database, now_ms)
        self.readers.make_again()
        self.worked_s = time.thread_time() - began

    async def make_forever(self, share: ProcessorShare) -> None:
        """Make it again after each request, with a pause between two."""
        while True:
            await self.make_once()
            await asyncio.sleep(share.pause_s(_PAUSE_S))
