"""Lines that give the numbers of a page of the past, from the same windows of the same table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kwitness.console.index.past_traffic import HOUR_S, in_hour
from kwitness.console.pages.lines import Line, literal, sql_line
from kwitness.console.pages.past import ShownPast

__all__ = ["APPLICATION", "past_lines"]

APPLICATION: Final = (
    "coalesce(k8s_namespace || '/' || k8s_workload, nullif(principal, 'User:ANONYMOUS'), client_id) AS application"
)
"""The application of a row of Traffic."""
_SUMS: Final = (
    f"sum(bytes) FILTER (api = 'Produce') / {HOUR_S} AS written_bytes_per_s, "
    f"sum(bytes) FILTER (api IN ('Fetch', 'ShareFetch')) / {HOUR_S} AS read_bytes_per_s"
)


def past_lines(past: ShownPast, columns: str, equal: Mapping[str, str]) -> Sequence[Line]:
    """Return the line of a query: bytes a second by columns, where others have values; empty ones choose nothing."""
    conditions = [
        "kind = 'partition'",
        in_hour(past.start_ms),
        *(f"{name} = {literal(value)}" for name, value in equal.items() if value),
    ]
    query = (
        f"SELECT {columns}, {_SUMS} FROM {past.table} WHERE {' AND '.join(conditions)} "
        "GROUP BY ALL ORDER BY written_bytes_per_s DESC NULLS LAST, read_bytes_per_s DESC NULLS LAST"
    )
    return (sql_line(query, past.option, "the same of the same hour"),)
