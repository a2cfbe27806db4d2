"""Runs a query in a DuckDB that has the given tables and reaches nothing else: no file, no network, no extension."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Final, NamedTuple

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.delta_tables import distinct_name
from kwitness.answers.tables.duckdb_isolation import ISOLATION
from kwitness.contracts.plain_text import plain_text

__all__ = ["DEFAULT_ROWS", "Answer", "answer_query"]

MEMORY: Final = 2 * 1024 * 1024 * 1024
"""Bytes of memory that a query may take; nothing is written to disk instead."""
DEFAULT_ROWS: Final = 1_000
_MOST_THREADS: Final = 4
_AGAIN_S: Final = 0.05


class Answer(NamedTuple):
    """Columns, each with a name of its own, the first rows, and whether there are more."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    has_more: bool


def answer_query(query: str, tables: Mapping[str, Any], *, limit: int = DEFAULT_ROWS, memory: int = MEMORY) -> Answer:
    """Return the first `limit` rows that a query gives.

    Parameters
    ----------
    tables
        Datasets or tables of Arrow, by the names that the query has them by.
    memory
        Bytes that the query may take.

    Raises
    ------
    CommandFailedError
        DuckDB refuses the query, or it needs more memory.
    """
    import duckdb  # noqa: PLC0415

    bounds: dict[str, str | int] = {"memory_limit": f"{memory}B", "threads": min(_MOST_THREADS, os.cpu_count() or 1)}
    with duckdb.connect(config={**ISOLATION, **bounds}) as connection:
        for name, table in tables.items():
            connection.register(name, table)
        connection.execute("SET lock_configuration = true")
        # On a thread of its own: DuckDB itself notices an interrupt at the terminal late.
        with ThreadPoolExecutor(1) as thread:
            running = thread.submit(_run, connection, query, limit)
            try:
                return running.result()
            except KeyboardInterrupt:
                # Again and again: a query that has not begun yet is not interrupted by it.
                while not running.done():
                    connection.interrupt()
                    wait([running], timeout=_AGAIN_S)
                raise
            except duckdb.OutOfMemoryException as error:
                raise CommandFailedError(
                    f"the query needs more than {memory // 1024**2:,} MiB of memory: select fewer columns or rows"
                ) from error
            except duckdb.Error as error:
                raise CommandFailedError(_refusal(str(error), tables)) from error


def _run(connection: Any, query: str, limit: int) -> Answer:
    answer = connection.execute(query)
    # None for a query of comments alone.
    if answer is None or not answer.description:
        raise CommandFailedError("the query has no rows to show: write one that begins with SELECT or FROM")
    rows = answer.fetchmany(limit + 1)
    return Answer(_distinct([column[0] for column in answer.description]), rows[:limit], len(rows) > limit)


def _refusal(text: str, tables: Mapping[str, Any]) -> str:
    """Return an error with values of clients in it, as a terminal may show it."""
    lines = [plain_text(line) for line in text.splitlines() if line.strip()]
    if "disabled by configuration" in text or "disabled through configuration" in text or "been locked" in text:
        lines.append("A query reads the tables and nothing else: no file, no address, no extension, no setting.")
    return "\n".join([f"DuckDB refuses the query: {lines[0]}", *lines[1:], f"The tables are {', '.join(tables)}."])


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of columns, of which those that are there already get a number."""
    found: list[str] = []
    for name in names:
        found.append(distinct_name(name, found))
    return found
