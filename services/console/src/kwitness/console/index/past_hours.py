"""Keeps some hours of the past, each as a schema with tables as those of now, made by the same code."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.analyses import CLIENT_INVENTORY, JOB_TABLES
from kwitness.console.index.database import Database
from kwitness.console.index.members import rebuild
from kwitness.console.index.namespaces import known_namespaces
from kwitness.console.index.past_traffic import BATCH_END
from kwitness.console.index.reader_schemas import ReaderSchemas, Seen
from kwitness.console.index.tables import TRAFFIC, Table
from kwitness.console.readers import Reader

__all__ = ["KEPT_S", "MOST_HOURS", "MOST_READERS", "Hour", "HourGoneError", "PastHours"]

MOST_HOURS: Final = 4
"""Hours that are kept at once."""
MOST_READERS: Final = 4
"""Sets of namespaces whose rows of an hour are kept at once."""
KEPT_S: Final = 600
"""Seconds that an hour is kept after its last page."""
_OF_NOW: Final = (JOB_TABLES, CLIENT_INVENTORY.table)
"""Tables with times of their own, which an hour has as they are now."""


class Hour(NamedTuple):
    """An hour by its start, in milliseconds since 1970, and the table that it is read from."""

    job: str
    start_ms: int


class HourGoneError(Exception):
    """The hour is not kept any more."""


@dataclass(slots=True)
class _Kept:
    database: Database
    readers: ReaderSchemas
    used_s: float
    pages: int = 0
    is_replaced: bool = field(default=False)


class PastHours:
    """The hours that are kept, those in front that were not used for the longest time."""

    def __init__(self, everything: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._everything = everything
        self._clock = clock
        self._names = (f"past_{number}" for number in itertools.count(1))
        self._hours: dict[Hour, _Kept] = {}
        self._changing = threading.Lock()

    def __contains__(self, hour: Hour) -> bool:
        return hour in self._hours

    def namespaces(self) -> frozenset[str]:
        """Return the namespaces of all hours."""
        with self._changing:
            kept = [*self._hours.values()]
            for hour in kept:
                hour.pages += 1
        try:
            return frozenset(name for hour in kept for name in known_namespaces(hour.database))
        finally:
            for hour in kept:
                self._end(hour)

    def fill(self, hour: Hour, items: str) -> None:
        """Keep an hour, of JSON lists of items of the table `traffic`, instead of the one used longest ago.

        Lists are separated by `BATCH_END`.

        Raises
        ------
        IndexFullError
            The memory is not sufficient; nothing of it is left.
        """
        with self._changing:
            # Before: its memory may be needed.
            replaced = [self._hours.pop(hour)] if hour in self._hours else []
            while len(self._hours) >= MOST_HOURS:
                replaced.append(self._hours.pop(next(iter(self._hours))))
        self._retire(replaced)
        name = next(self._names)
        database = self._everything.in_schema(name)
        self._everything.write(f"CREATE SCHEMA {name}")
        try:
            database.write(
                *(table.filled("[]") for table in ALL_TABLES if table not in _OF_NOW),
                *(TRAFFIC.added(batch) for batch in items.split(BATCH_END)),
                *(f"CREATE VIEW {table.name} AS {self._newest(table)}" for table in _OF_NOW),
            )
            rebuild(database)
        except BaseException:
            self._everything.write(f"DROP SCHEMA {name} CASCADE")
            raise
        readers = ReaderSchemas(database, most=MOST_READERS, names=f"{name}_reader", clock=self._clock)
        with self._changing:
            self._hours[hour] = _Kept(database, readers, self._clock())

    @contextlib.contextmanager
    def seen_by(self, hour: Hour, reader: Reader) -> Iterator[Seen]:
        """Have the rows of an hour that a reader may see, while a page is made.

        Raises
        ------
        HourGoneError
            The hour is not kept.
        IndexFullError
            The memory is not sufficient for the rows of this reader.
        """
        with self._changing:
            kept = self._hours.pop(hour, None)
            if kept is None:
                raise HourGoneError
            self._hours[hour] = kept
            kept.pages += 1
        try:
            with kept.readers.seen_by(reader) as seen:
                yield seen
        finally:
            self._end(kept)

    def drop_unused(self) -> None:
        """Drop hours without a page for `KEPT_S`, and rows of readers that are not used."""
        with self._changing:
            since = self._clock() - KEPT_S
            unused = [hour for hour, kept in self._hours.items() if not kept.pages and kept.used_s <= since]
            replaced = [self._hours.pop(hour) for hour in unused]
            others = [*self._hours.values()]
        self._retire(replaced)
        for kept in others:
            kept.readers.drop_unused()

    def _newest(self, table: Table) -> str:
        return f"SELECT * FROM {self._everything.schema}.{table.name}"

    def _end(self, kept: _Kept) -> None:
        with self._changing:
            kept.pages -= 1
            kept.used_s = self._clock()
            is_over = kept.is_replaced and not kept.pages
        if is_over:
            self._drop(kept)

    def _retire(self, replaced: list[_Kept]) -> None:
        """Drop hours now, or those of which a page is being made with its end."""
        for kept in replaced:
            with self._changing:
                kept.is_replaced = True
                is_over = not kept.pages
            if is_over:
                self._drop(kept)

    def _drop(self, kept: _Kept) -> None:
        kept.readers.drop_all()
        self._everything.write(f"DROP SCHEMA {kept.database.schema} CASCADE")
