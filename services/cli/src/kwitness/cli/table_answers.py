"""What tables are asked: which there are, their rows, their past, and anything in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.delta_tables import NamedTable
from kwitness.answers.tables.isolated_sql import answer_query
from kwitness.answers.tables.json_values import json_value
from kwitness.answers.tables.table_facts import describe_table
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.output import Output, warn
from kwitness.cli.table_rows import write_rows, write_sorted_rows

__all__ = ["ask", "list_tables", "show_history", "show_rows"]

_LIST_HEADINGS: Final = ("NAME", "ROWS", "VERSION", "CHANGED", "COMPUTED BY", "PATH")
_HISTORY_HEADINGS: Final = ("VERSION", "TIME", "OPERATION", "ENGINE", "ROWS CHANGED")


def list_tables(output: Output, tables: Sequence[NamedTable]) -> None:
    """Show a line for each table."""
    found = [describe_table(table) for table in tables]
    output.show(
        found,
        columns_of(_LIST_HEADINGS),
        lambda table: row_of(_LIST_HEADINGS, list((table | {"changed_ms": _time(table["changed_ms"])}).values())),
        document=json_value,
        name=lambda table: str(table["path"]),
        empty="there are no tables",
    )


def show_rows(output: Output, dataset: Any, *, limit: int, columns: Sequence[str], left_out: int = 0) -> None:
    """Show rows; a table for people has without `columns` those that are not empty in all of them.

    Parameters
    ----------
    dataset
        Of Arrow.
    left_out
        Rows of the table that the dataset does not have.

    Raises
    ------
    CommandFailedError
        There is no such column.
    """
    names = dataset.schema.names
    if unknown := [name for name in columns if name not in names]:
        raise CommandFailedError(f"the table has no column {unknown[0]}: it has {', '.join(names)}")
    rows = dataset.head(limit, columns=list(columns) or None).to_pylist(maps_as_pydicts="lossy")
    known = [name for name in names if rows and any(row.get(name) not in (None, [], {}) for row in rows)]
    shown = [(name.replace("_", " ").upper(), name, False) for name in columns or known or names]
    write_sorted_rows(output, shown, columns or names, rows)
    if (count := dataset.count_rows() + left_out) > len(rows):
        warn(f"{len(rows)} of {count} rows are shown: --limit shows more, and `kwitness tables sql` selects")


def show_history(output: Output, table: Any, *, limit: int) -> None:
    """Show the commits of a table, the newest first."""
    output.show(
        table.history(limit),
        columns_of(_HISTORY_HEADINGS),
        lambda commit: row_of(
            _HISTORY_HEADINGS,
            (
                commit["version"],
                _time(commit["timestamp"]),
                commit.get("operation"),
                commit.get("engineInfo"),
                _counts(commit),
            ),
        ),
        document=json_value,
        name=lambda commit: str(commit["version"]),
        empty="the table has no commits",
    )


def ask(output: Output, query: str, tables: Mapping[str, Any], *, limit: int) -> None:
    """Show the first rows that a query gives.

    Raises
    ------
    CommandFailedError
        DuckDB refuses the query.
    """
    answer = answer_query(query, tables, limit=limit)
    write_rows(output, answer.columns, [dict(zip(answer.columns, row, strict=True)) for row in answer.rows])
    if answer.has_more:
        warn(f"the first {len(answer.rows)} rows are shown: --limit shows more, and LIMIT in the query fewer")


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _counts(commit: dict[str, Any]) -> str:
    """Of rows alone, in the words of who wrote it: Spark's are numTargetRowsInserted, delta-rs' num_deleted_rows."""
    metrics = commit.get("operationMetrics") or {}
    counts = {name: value for name, value in metrics.items() if "rows" in name.lower() and str(value) != "0"}
    return ", ".join(f"{name}={value}" for name, value in sorted(counts.items()))
