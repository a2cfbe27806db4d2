"""Gives DuckDB the rows of a Delta table as streams of Arrow, by the PyCapsule interface: without pyarrow."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["StreamedTable", "columns_of"]


def columns_of(table: Any) -> list[str]:
    """Return the names of the columns of a `deltalake.DeltaTable`."""
    return [field.name for field in table.schema().fields]


class StreamedTable:
    """The rows of a table of which a query reads some columns. Each read begins a stream, and their order may differ.

    Parameters
    ----------
    table
        Of deltalake, whose own engine reads it.
    query
        All columns are read whose names are words of it. It names columns as the table does, and does not select `*`.
    predicate
        A condition in SQL that all rows fulfil; files without such rows are not read. None: all rows.
    """

    def __init__(self, table: Any, query: str, predicate: str | None = None) -> None:
        words = set(re.findall(r"\w+", query))
        self._table = table
        self._columns: Sequence[str] = [name for name in columns_of(table) if name in words]
        self._predicate = predicate

    def __arrow_c_schema__(self) -> Any:
        """Return the columns, so that DuckDB begins no stream to learn them."""
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Begin a stream of all rows."""
        return self._scan().__arrow_c_stream__(requested_schema)

    @functools.cached_property
    def _schema(self) -> Any:
        return self._scan().schema

    def _scan(self) -> Any:
        return self._table.scan(columns=self._columns, predicate=self._predicate)
