"""``python -m kwitness.console.sources.tables_program``: reads tables of analyses, apart from the console.

The libraries that read them take 100 MB, which the console itself does not load. A request is a line of JSON on
standard input; one with `hour_ms` is for an hour of a table of Traffic. Each is answered by two lines on standard
output: what the table is, and its rows as a list of JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.delta_tables import open_table, require_libraries
from kwitness.answers.tables.isolated_sql import answer_query
from kwitness.console.index.analyses import ANALYSES, Analysis
from kwitness.console.index.past_traffic import MARKS, PAST_TYPE
from kwitness.console.sources.bounded_rows import bounded_rows
from kwitness.console.sources.hour_reading import hour_of_table

__all__ = ["answered"]

_MEMORY: Final = 256 * 1024 * 1024
"""Bytes that a query may take."""


class _Source(NamedTuple):
    """Rows of a table as a dataset of Arrow, and what is known of its newest version."""

    dataset: Any
    version: int | None = None
    computed_ms: int | None = None
    left_out: int = 0


def answered(request: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return what a table is, with `problem` where it cannot be read, and its rows."""
    facts: dict[str, Any] = {"job": request["job"], "type": request.get("type")}
    try:
        if "hour_ms" in request:
            known, rows = hour_of_table(open_table(request["path"]), request["hour_ms"])
            return {**facts, **known}, rows
        source = _opened(request)
        columns = source.dataset.schema.names
        analysis = _analysis_of(columns)
        if analysis is None:
            # Rows of Traffic are read by the hour.
            return {**facts, "type": PAST_TYPE if set(columns) >= MARKS else None}, "[]"
        facts["type"] = analysis.job_type
        facts |= {"version": source.version, "computed_ms": source.computed_ms}
        return _rows(analysis, source, facts)
    except CommandFailedError as error:
        return {**facts, "problem": str(error)}, "[]"
    except Exception as error:  # noqa: BLE001 - libraries raise what they like of a damaged table; others are read
        reason = f"{type(error).__name__}: {error}"
        return {**facts, "problem": f"the table cannot be read ({reason}): `kwitness tables show` says more"}, "[]"


def _opened(request: Mapping[str, Any]) -> _Source:
    table = open_table(request["path"])
    [commit] = table.history(1) or [{}]
    return _Source(table.to_pyarrow_dataset(), table.version(), commit.get("timestamp"))


def _analysis_of(columns: list[str]) -> Analysis | None:
    return next((analysis for analysis in ANALYSES if analysis.marks <= set(columns)), None)


def _rows(analysis: Analysis, source: _Source, facts: dict[str, Any]) -> tuple[dict[str, Any], str]:
    tables = {"source": source.dataset}
    answer = answer_query(analysis.query, tables, limit=analysis.rows, memory=_MEMORY)
    items = ({"job": facts["job"], **dict(zip(answer.columns, row, strict=True))} for row in answer.rows)
    texts = bounded_rows(items, analysis.bytes)
    left_out = source.left_out
    if answer.has_more or len(texts) < len(answer.rows):
        counted = answer_query(f"SELECT count(*) FROM ({analysis.query})", tables, memory=_MEMORY)
        left_out += counted.rows[0][0] - len(texts)
    [latest] = answer_query(f"SELECT {analysis.latest} FROM source", tables, memory=_MEMORY).rows[0]
    return {**facts, "rows": len(texts), "left_out": left_out, "latest_ms": latest}, f"[{','.join(texts)}]"


def main() -> None:
    """Answer all requests."""
    require_libraries()
    import pyarrow as pa  # noqa: PLC0415 - of the extra `tables`

    pa.set_cpu_count(1)
    for line in sys.stdin:
        facts, rows = answered(json.loads(line))
        sys.stdout.write(f"{json.dumps(facts)}\n{rows}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
