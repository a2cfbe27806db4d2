"""Keeps schemas of the sets of namespaces in use: each is made for its first page, and dropped after its last one."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kwitness.console.index.database import Database
from kwitness.console.index.reader_schema import COUNTED, ReaderSchema
from kwitness.console.readers import Reader

__all__ = ["KEPT_S", "MOST_SCHEMAS", "ReaderSchemas", "Seen"]

MOST_SCHEMAS: Final = 16
"""Sets of namespaces whose rows are kept at once."""
KEPT_S: Final = 60
"""Seconds that the rows of a set are kept after its last page; open pages request their rows every 15 seconds."""


class Seen(NamedTuple):
    """The index as one reader sees it.

    Attributes
    ----------
    database
        All tables, with the rows that the reader may see.
    hidden
        Numbers of applications and topics that the reader may not see.
    problem
        Why these rows are older than those of the sources; None where they are not.
    """

    database: Database
    hidden: Mapping[str, int]
    problem: str | None = None


class ReaderSchemas:
    """The schemas, by their namespaces, those in front that were not used for the longest time.

    Parameters
    ----------
    most
        Schemas that are kept at once.
    names
        Begins their names.
    """

    def __init__(
        self,
        everything: Database,
        *,
        most: int = MOST_SCHEMAS,
        names: str = "reader",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._everything = everything
        self._most = most
        self._clock = clock
        self._names = (f"{names}_{number}" for number in itertools.count(1))
        self._schemas: dict[frozenset[str], ReaderSchema] = {}
        self._page_ended = threading.Condition()

    @contextlib.contextmanager
    def seen_by(self, reader: Reader) -> Iterator[Seen]:
        """Have the rows of a reader while a page is made.

        Raises
        ------
        IndexFullError
            The memory is not sufficient for the rows of this reader.
        """
        if reader.namespaces is None:
            yield Seen(self._everything, dict.fromkeys(COUNTED, 0))
            return
        schema, unused = self._begin(reader.namespaces)
        try:
            for other in unused:
                other.drop()
            schema.make()
            yield Seen(schema.database, schema.hidden, schema.problem)
        finally:
            self._end(schema)

    def make_again(self) -> None:
        """Make the schemas in use again, since the index changed, and drop the others."""
        self.drop_unused()
        with self._page_ended:
            kept = [*self._schemas.values()]
            for schema in kept:
                schema.uses += 1
        for schema in kept:
            try:
                schema.make_again()
            finally:
                self._end(schema, is_page=False)

    def drop_all(self) -> None:
        """Drop all schemas. No page is made of them, and none will be."""
        with self._page_ended:
            dropped = [*self._schemas.values()]
            self._schemas.clear()
        for schema in dropped:
            schema.drop()

    def drop_unused(self) -> None:
        """Drop the schemas without a page for `KEPT_S`."""
        with self._page_ended:
            since = self._clock() - KEPT_S
            unused = [schema for schema in self._schemas.values() if not schema.uses and schema.used_s < since]
            for schema in unused:
                del self._schemas[schema.namespaces]
        for schema in unused:
            schema.drop()

    def _begin(self, namespaces: frozenset[str]) -> tuple[ReaderSchema, Sequence[ReaderSchema]]:
        """Return the schema for one more page, and those that it replaces; wait where pages use all of them."""
        with self._page_ended:
            replaced: list[ReaderSchema] = []
            while namespaces not in self._schemas and len(self._schemas) >= self._most:
                unused = next((schema for schema in self._schemas.values() if not schema.uses), None)
                if unused is None:
                    self._page_ended.wait()
                else:
                    replaced.append(self._schemas.pop(unused.namespaces))
            schema = self._schemas.pop(namespaces, None)
            if schema is None:
                schema = ReaderSchema(next(self._names), namespaces, self._everything)
            self._schemas[namespaces] = schema
            schema.uses += 1
            return schema, replaced

    def _end(self, schema: ReaderSchema, *, is_page: bool = True) -> None:
        with self._page_ended:
            schema.uses -= 1
            if is_page:
                schema.used_s = self._clock()
            self._page_ended.notify_all()
