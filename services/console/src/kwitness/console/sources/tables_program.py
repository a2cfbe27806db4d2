"""``python -m kwitness.console.sources.tables_program``: reads tables of analyses, apart from the console.

The library that reads them takes 60 MB, which the console itself does not load. A request is a line of JSON on
standard input; one with `hour_ms` is for an hour of a table of Traffic. Each is answered by two lines on standard
output: what the table is, and its rows as a list of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.delta_tables import open_table, require_libraries
from kwitness.answers.tables.isolated_sql import Answer, answer_query
from kwitness.console.index.analyses import ANALYSES, Analysis
from kwitness.console.index.past_traffic import MARKS, PAST_TYPE
from kwitness.console.sources.bounded_rows import bounded_rows
from kwitness.console.sources.hour_reading import hour_of_table
from kwitness.console.sources.store_keys import store_keys
from kwitness.console.sources.streamed_table import StreamedTable, columns_of

__all__ = ["answered"]

_MEMORY: Final = 256 * 1024 * 1024
"""Bytes that a query may take."""


def answered(request: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return what a table is, with `problem` where it cannot be read, and its rows."""
    facts: dict[str, Any] = {"job": request["job"], "type": request.get("type")}
    try:
        if "hour_ms" in request:
            known, rows = hour_of_table(open_table(request["path"]), request["hour_ms"])
            return {**facts, **known}, rows
        table = open_table(request["path"])
        columns = set(columns_of(table))
        analysis = next((analysis for analysis in ANALYSES if analysis.marks <= columns), None)
        if analysis is None:
            # Rows of Traffic are read by the hour.
            return {**facts, "type": PAST_TYPE if columns >= MARKS else None}, "[]"
        [commit] = table.history(1) or [{}]
        facts |= {"type": analysis.job_type, "version": table.version(), "computed_ms": commit.get("timestamp")}
        return _rows(analysis, table, facts)
    except CommandFailedError as error:
        return {**facts, "problem": str(error)}, "[]"
    except Exception as error:  # noqa: BLE001 - libraries raise what they like of a damaged table; others are read
        reason = f"{type(error).__name__}: {error}"
        return {**facts, "problem": f"the table cannot be read ({reason}): `kwitness tables show` says more"}, "[]"


def _rows(analysis: Analysis, table: Any, facts: dict[str, Any]) -> tuple[dict[str, Any], str]:
    def answer_of(query: str, limit: int = 1) -> Answer:
        return answer_query(query, {"source": StreamedTable(table, query)}, limit=limit, memory=_MEMORY)

    answer = answer_of(analysis.query, analysis.rows)
    items = ({"job": facts["job"], **dict(zip(answer.columns, row, strict=True))} for row in answer.rows)
    texts = bounded_rows(items, analysis.bytes)
    left_out = 0
    if answer.has_more or len(texts) < len(answer.rows):
        left_out = answer_of(f"SELECT count(*) FROM ({analysis.query})").rows[0][0] - len(texts)
    [latest] = answer_of(f"SELECT {analysis.latest} FROM source").rows[0]
    return {**facts, "rows": len(texts), "left_out": left_out, "latest_ms": latest}, f"[{','.join(texts)}]"


def main() -> None:
    """Answer all requests."""
    require_libraries()
    os.environ.update(store_keys())
    for line in sys.stdin:
        facts, rows = answered(json.loads(line))
        sys.stdout.write(f"{json.dumps(facts)}\n{rows}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
