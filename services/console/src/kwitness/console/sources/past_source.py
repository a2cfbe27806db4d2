"""Reads hours of the past that pages request, beside requests: a page shows one once it is in the index."""

from __future__ import annotations

import asyncio
import collections
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import duckdb

from kwitness.console.index.database import IndexFullError
from kwitness.console.index.past_hours import Hour, PastHours
from kwitness.console.index.past_traffic import HOUR_S, MOST_BYTES
from kwitness.console.sources.found_tables import FoundTable
from kwitness.console.sources.tables import TableSources
from kwitness.console.sources.tables_process import MOST_ANSWERED, Reading, ReadTable, read_in_process

__all__ = ["MOST_AT_ONCE", "MOST_PROCESSES", "MOST_WAITING", "PastAnswer", "PastSource"]

MOST_WAITING: Final = 8
"""Hours that wait to be read."""
MOST_AT_ONCE: Final = MOST_ANSWERED // MOST_BYTES
"""Hours that one process reads, so that their rows are no more than it may answer."""
MOST_PROCESSES: Final = 4
"""Processes of a minute that read hours."""
_MINUTE_S: Final = 60.0
_OPEN: Final = 2
"""The doubt of an hour whose numbers grow."""
_MOST_ANSWERS: Final = 64
"""Hours of which it is known why they are not shown, or what their table was."""


class PastAnswer(NamedTuple):
    """Why an hour is shown or not.

    Attributes
    ----------
    state
        `ready`: the hour is in the index; `waiting`: it will be; `busy`: too many wait; `loading`: tables are not known
        yet; `none`: there is no table; `choose`: there are several, and the request names none of them; `present`: the
        hour is not over; `outside`: the table keeps other hours; `failed`: it cannot be read.
    hour
        The hour with its table; None without a table.
    table
        Its table.
    facts
        The newest facts about table and hour, as the process answers them.
    problem
        Why it failed, and what to do.
    jobs
        Tables to choose from.
    """

    state: Literal["ready", "waiting", "busy", "loading", "none", "choose", "present", "outside", "failed"]
    hour: Hour | None = None
    table: FoundTable | None = None
    facts: Mapping[str, Any] = {}
    problem: str | None = None
    jobs: Sequence[str] = ()


class _Known(NamedTuple):
    read_s: float
    facts: Mapping[str, Any]
    problem: str | None


class PastSource:
    """The hours that pages request. Its methods are called on the thread of the event loop.

    Parameters
    ----------
    tables
        Knows tables of Traffic.
    read
        Reads tables.
    """

    def __init__(
        self,
        past: PastHours,
        tables: TableSources,
        read: Callable[[Sequence[Mapping[str, Any]]], Reading] = read_in_process,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._past = past
        self._tables = tables
        self._read = read
        self._clock = clock
        self._waiting: dict[Hour, FoundTable] = {}
        self._known: dict[Hour, _Known] = {}
        self._began: collections.deque[float] = collections.deque(maxlen=MOST_PROCESSES)
        self._requested = asyncio.Event()

    def answer(self, start_ms: int, job: str) -> PastAnswer:
        """Return whether an hour is in the index; if it is not, have it read.

        Parameters
        ----------
        job
            The table, as a request names it; empty where it names none.
        """
        tables = {table.job: table for table in self._tables.past_tables}
        found = tables.get(job) or (next(iter(tables.values())) if len(tables) == 1 else None)
        if found is None:
            return self._without_table(sorted(tables))
        hour = Hour(found.job, start_ms)
        known = self._known.get(hour)
        answer = PastAnswer("ready", hour, found, known.facts if known else {})
        if start_ms + HOUR_S * 1000 > time.time() * 1000:
            return answer._replace(state="present")
        if found.path is None:
            return answer._replace(state="failed", problem=found.problem)
        is_old = known is None or self._clock() - known.read_s >= _MINUTE_S
        if hour in self._past and known is not None:
            if is_old and known.facts.get("doubt") == _OPEN:
                self._request(hour, found)
            return answer
        if known is None or is_old or not self._is_without_rows(known):
            return answer._replace(state="waiting" if self._request(hour, found) else "busy")
        return answer._replace(state="failed" if known.problem else "outside", problem=known.problem)

    def _without_table(self, jobs: Sequence[str]) -> PastAnswer:
        source = self._tables.source
        if jobs:
            return PastAnswer("choose", jobs=jobs)
        if source.problem is not None:
            return PastAnswer("failed", problem=source.problem)
        return PastAnswer("loading" if source.as_of_ms is None else "none")

    @staticmethod
    def _is_without_rows(known: _Known) -> bool:
        return known.problem is not None or "rows" not in known.facts

    def _request(self, hour: Hour, table: FoundTable) -> bool:
        """Have an hour read, unless too many wait."""
        if hour not in self._waiting and len(self._waiting) >= MOST_WAITING:
            return False
        self._waiting[hour] = table
        self._requested.set()
        return True

    async def read_once(self) -> None:
        """Read the hours that wait longest, in one process."""
        due = dict(itertools.islice(self._waiting.items(), MOST_AT_ONCE))
        requests = [
            {"job": hour.job, "path": table.path or "", "hour_ms": hour.start_ms} for hour, table in due.items()
        ]
        reading = await asyncio.to_thread(self._read, requests)
        # The hour after the last answer is the one that ended the process; those after it are read the next time.
        at_fault = Reading([ReadTable({"problem": reading.ended}, "[]")], None, 0.0).tables if reading.ended else []
        for hour, answer in zip(due, [*reading.tables, *at_fault], strict=False):
            problem = await asyncio.to_thread(self._keep, hour, answer)
            del self._waiting[hour]
            self._known.pop(hour, None)
            self._known[hour] = _Known(self._clock(), answer.facts, problem)
            while len(self._known) > _MOST_ANSWERS:
                del self._known[next(iter(self._known))]

    def _keep(self, hour: Hour, answer: ReadTable) -> str | None:
        """Have the index keep an hour, and return why it cannot."""
        problem: str | None = answer.facts.get("problem")
        if problem is None and "rows" in answer.facts:
            try:
                self._past.fill(hour, answer.rows)
            except IndexFullError as error:
                return str(error)
            except duckdb.Error as error:
                return f"its rows are not as this release of kwitness has them ({error}): update the console"
        return problem

    async def read_forever(self) -> None:
        """Read hours as they are requested, and drop those that are not used any more."""
        while True:
            try:
                await asyncio.wait_for(self._requested.wait(), _MINUTE_S)
            except TimeoutError:
                pass
            else:
                self._requested.clear()
                await asyncio.sleep(self._pause_s())
                self._began.append(self._clock())
                await self.read_once()
                if self._waiting:
                    self._requested.set()
            await asyncio.to_thread(self._past.drop_unused)

    def _pause_s(self) -> float:
        """Return the seconds until one more process of this minute may begin."""
        if len(self._began) < MOST_PROCESSES:
            return 0.0
        return max(0.0, self._began[0] + _MINUTE_S - self._clock())
