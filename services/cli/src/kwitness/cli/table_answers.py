"""What tables are asked: which there are, their rows, their past, and anything in SQL."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from kwitness.cli.delta_tables import NamedTable, open_table
from kwitness.cli.failure import CommandFailedError
from kwitness.jobs.frame.text_table import aligned, render

_COMPUTED_BY = "computed_by"


def list_tables(tables: Sequence[NamedTable], *, as_json: bool) -> None:
    """Print a line for each table."""
    found = []
    for name, path in tables:
        table = open_table(path)
        dataset = table.to_pyarrow_dataset()
        there = _COMPUTED_BY in dataset.schema.names
        first = dataset.head(1, columns=[_COMPUTED_BY]).to_pylist() if there else []
        found.append(
            {
                "name": name,
                "rows": dataset.count_rows(),
                "version": table.version(),
                "changed_ms": table.history(1)[0]["timestamp"],
                "computed_by": first[0][_COMPUTED_BY] if first else None,
                "path": path,
            }
        )
    if as_json:
        _print_json(found)
        return
    headings = ["NAME", "ROWS", "VERSION", "CHANGED", "COMPUTED BY", "PATH"]
    lines = [[*list(one.values())[:3], _time(one["changed_ms"]), *list(one.values())[4:]] for one in found]
    print(aligned(headings, lines))


def show_rows(table: Any, *, limit: int, columns: Sequence[str], as_json: bool) -> None:
    """Print rows; without `columns` those that are not empty in all of them.

    Raises
    ------
    CommandFailedError
        There is no such column.
    """
    dataset = table.to_pyarrow_dataset()
    names = dataset.schema.names
    if unknown := [name for name in columns if name not in names]:
        raise CommandFailedError(f"the table has no column {unknown[0]}: it has {', '.join(names)}")
    rows = dataset.head(limit, columns=list(columns) or None).to_pylist()
    if as_json:
        _print_json(rows)
    else:
        shown = columns or [name for name in names if any(row[name] not in (None, []) for row in rows)] or names
        print(render([(name.replace("_", " ").upper(), name, False) for name in shown], rows))
    if (count := dataset.count_rows()) > len(rows):
        print(f"kwitness tables: {len(rows)} of {count} rows; --limit shows more, and `sql` picks", file=sys.stderr)


def show_history(table: Any, *, limit: int, as_json: bool) -> None:
    """Print the commits of a table, the newest first."""
    commits = table.history(limit)
    if as_json:
        _print_json(commits)
        return
    lines = [
        [one["version"], _time(one["timestamp"]), one.get("operation"), one.get("engineInfo"), _counts(one)]
        for one in commits
    ]
    print(aligned(["VERSION", "TIME", "OPERATION", "ENGINE", "ROWS"], lines))


def ask(query: str, tables: Sequence[NamedTable], *, as_json: bool) -> None:
    """Print the rows that a query gives.

    Raises
    ------
    CommandFailedError
        DuckDB refuses the query.
    """
    headings, rows = answer_rows(query, tables)
    if as_json:
        _print_json([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        print(aligned(headings, rows))


def answer_rows(query: str, tables: Sequence[NamedTable]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the headings and rows that a query gives; each table is a view of its name.

    Raises
    ------
    CommandFailedError
        DuckDB refuses the query.
    """
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as connection:
        for name, path in tables:
            connection.register(name, open_table(path).to_pyarrow_dataset())
        try:
            answer = connection.execute(query)
            rows = answer.fetchall()
        except duckdb.Error as error:
            names = ", ".join(name for name, _ in tables)
            raise CommandFailedError(f"DuckDB refuses the query: {error}\nThe tables are {names}.") from error
        return [one[0] for one in answer.description or []], rows


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _counts(commit: dict[str, Any]) -> str:
    """Of rows alone, in the words of who wrote it: Spark's are numTargetRowsInserted, delta-rs' num_deleted_rows."""
    metrics = commit.get("operationMetrics") or {}
    told = {name: value for name, value in metrics.items() if "rows" in name.lower() and str(value) != "0"}
    return ", ".join(f"{name}={value}" for name, value in sorted(told.items()))


def _print_json(items: Sequence[Any]) -> None:
    print(json.dumps({"items": items}, default=_plain))


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)
