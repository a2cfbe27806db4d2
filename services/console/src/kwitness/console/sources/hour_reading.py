"""Reads an hour of a table of Traffic, in the process that reads tables."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Final

from kwitness.answers.tables.isolated_sql import answer_query
from kwitness.console.index.past_traffic import (
    BATCH_END,
    COUNTED,
    HOUR_S,
    MARKS,
    MOST_BYTES,
    MOST_ROWS,
    PAST_TYPE,
    hour_condition,
    items_of,
    rows_query,
)
from kwitness.console.index.tables import BATCH_ROWS
from kwitness.console.sources.bounded_rows import bounded_rows
from kwitness.console.sources.streamed_table import StreamedTable, columns_of

__all__ = ["hour_of_table"]

_MEMORY: Final = 384 * 1024 * 1024
"""Bytes that a query may take."""
_DAY_MS: Final = 86_400_000


def hour_of_table(table: Any, start_ms: int) -> tuple[dict[str, Any], str]:
    """Return which hours a `deltalake.DeltaTable` keeps, facts about one, and its rows as batches of JSON."""
    if not set(columns_of(table)) >= MARKS:
        return {"problem": "it is no table of Traffic: name one of such an AnalyticsJob"}, "[]"
    [commit] = table.history(1) or [{}]
    kept = _kept(table)
    facts: dict[str, Any] = {
        "type": PAST_TYPE,
        "version": table.version(),
        "computed_ms": commit.get("timestamp"),
        "first_ms": kept[0] if kept else None,
        "last_ms": kept[1] if kept else None,
    }
    if kept is None or not kept[0] <= start_ms <= kept[1]:
        return facts, "[]"
    query = rows_query(start_ms)
    tables = {"source": StreamedTable(table, query, hour_condition(start_ms))}
    answer = answer_query(query, tables, limit=MOST_ROWS, memory=_MEMORY)
    rows = (dict(zip(answer.columns, row, strict=True)) for row in answer.rows)
    texts = bounded_rows(items_of(rows, start_ms), MOST_BYTES)
    [[number, doubt]] = answer_query(COUNTED.format(query=query), tables, memory=_MEMORY).rows
    batches = (texts[at : at + BATCH_ROWS] for at in range(0, len(texts), BATCH_ROWS))
    rows_text = BATCH_END.join(f"[{','.join(batch)}]" for batch in batches) or "[]"
    return {**facts, "rows": len(texts), "left_out": number - len(texts), "doubt": doubt or 0}, rows_text


def _kept(table: Any) -> tuple[int, int] | None:
    """Return the starts of the first and last hour that a table has, by its log alone; None without an hour.

    Files are written by length and day of their windows; where a file has no statistics, its day counts as whole.
    """
    files = table.get_add_actions(flatten=True)

    def values(name: str) -> list[Any]:
        return files.column(name).to_pylist() if name in files.column_names else [None] * files.num_rows

    lengths, days, rows = (values(name) for name in ("partition.window_seconds", "partition.day", "num_records"))
    firsts, lasts = values("min.window_start_ms"), values("max.window_start_ms")
    starts = []
    for length, day, number, first_ms, last_ms in zip(lengths, days, rows, firsts, lasts, strict=True):
        if number == 0 or length != HOUR_S:
            continue
        day_ms = _milliseconds(day)
        starts.append(day_ms if first_ms is None else first_ms)
        starts.append(day_ms + _DAY_MS - HOUR_S * 1000 if last_ms is None else last_ms)
    return (min(starts), max(starts)) if starts else None


def _milliseconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000
