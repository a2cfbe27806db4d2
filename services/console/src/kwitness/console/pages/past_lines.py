"""Lines that give the numbers of a page of the past, from the same windows of the same table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kwitness.console.index.analyses import CLIENT_INVENTORY
from kwitness.console.index.past_traffic import HOUR_S, in_hour
from kwitness.console.pages.lines import Line, literal, sql_line
from kwitness.console.pages.past import ShownPast
from kwitness.console.rows.hours import HOUR_MS
from kwitness.console.rows.sights import GONE, NEW, STAYED, Sights

__all__ = ["APPLICATION", "past_lines", "sights_line"]

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


def sights_line(past: ShownPast, sights: Sights, owner: str) -> Line:
    """Return the line of a query of how many clients are gone, new or still there since the hour."""
    name, option = sights.table.place(CLIENT_INVENTORY.name)
    end_ms = past.start_ms + HOUR_MS
    chosen = f" AND arg_max(owner, last_seen_ms) = {literal(owner)}" if owner else ""
    query = (
        f"SELECT since, count(*) AS clients FROM (SELECT CASE WHEN min(first_seen_ms) >= {end_ms} THEN '{NEW}' "
        f"WHEN bool_and(coalesce(ended, false)) THEN '{GONE}' ELSE '{STAYED}' END AS since FROM {name} "
        "WHERE kind = 'instance' AND client_id IS NOT NULL AND NOT coalesce(ours, false) GROUP BY client_id, principal "
        f"HAVING max(last_seen_ms) >= {past.start_ms}{chosen}) GROUP BY since ORDER BY since"
    )
    return sql_line(query, option, "clients since that hour")
