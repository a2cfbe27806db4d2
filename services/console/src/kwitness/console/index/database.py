"""Opens the database in memory that pages are made from: one thread, a limit, and nothing outside of it."""

from __future__ import annotations

import contextlib
import copy
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

import duckdb

from kwitness.answers.tables.duckdb_isolation import ISOLATION

__all__ = ["EVERYTHING", "MEMORY", "Database", "IndexFullError", "Row", "unnested"]

MEMORY: Final = 256 * 1024 * 1024
"""Bytes of memory that the index may take; nothing is written to disk instead."""
EVERYTHING: Final = "everything"
"""The schema with all rows. It is not `main`, in which DuckDB looks for names that another schema does not have."""
Row = dict[str, Any]


class IndexFullError(Exception):
    """The index needs more memory than `MEMORY`."""


class Database:
    """Tables of one schema, in memory. Writers take turns; a query sees the tables as they were when it began."""

    def __init__(self, *, memory: int = MEMORY) -> None:
        self._memory = memory
        self._connection = duckdb.connect(config={**ISOLATION, "memory_limit": f"{memory}B", "threads": 1})
        self._connection.execute(f"CREATE SCHEMA {EVERYTHING}")
        self._connection.execute("SET lock_configuration = true")
        self._schema = EVERYTHING
        self._writing = threading.Lock()

    @property
    def schema(self) -> str:
        """Its name."""
        return self._schema

    def in_schema(self, name: str) -> Self:
        """Return another schema of the same memory, whose writers take turns with those of this one."""
        other = copy.copy(self)
        other._schema = name  # noqa: SLF001 - of this class
        return other

    @contextlib.contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._connection.cursor() as cursor:
            cursor.execute(f"USE {self._schema}")
            yield cursor

    def close(self) -> None:
        """Release the memory."""
        self._connection.close()

    def write(self, *statements: str | tuple[str, Sequence[Any]]) -> None:
        """Run statements, with their parameters if any, as one transaction.

        Raises
        ------
        IndexFullError
            The memory is not sufficient; the tables are as before.
        """
        with self._writing, self._cursor() as cursor:
            cursor.begin()
            try:
                for statement in statements:
                    text, parameters = (statement, ()) if isinstance(statement, str) else statement
                    cursor.execute(text, parameters)
                cursor.commit()
            except duckdb.OutOfMemoryException as error:
                cursor.rollback()
                raise IndexFullError(
                    f"the index needs more than {self._memory // 1024**2} MiB, so this fleet is too large for the "
                    "console: select clients by options of kwitness clients and kwitness topics, or use the token of a "
                    "reader with a scope"
                ) from error
            except BaseException:
                cursor.rollback()
                raise

    def rows(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query, each by the names of its columns."""
        with self._cursor() as cursor:
            answer = cursor.execute(query, parameters or None)
            names = [column[0] for column in answer.description]
            return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def row(self, query: str, parameters: Mapping[str, Any] | Sequence[Any] = ()) -> Row:
        """Return the only row of a query."""
        [row] = self.rows(query, parameters)
        return row


def unnested(structure: Mapping[str, Any]) -> str:
    """Return a FROM clause whose only parameter is a JSON list of items of this structure, as `item`."""
    return f"(SELECT unnest(from_json(?::JSON, '{json.dumps([structure])}')) AS item)"
