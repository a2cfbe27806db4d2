"""Keeps the last hour of the whole fleet in memory: its numbers each minute, by the namespace that was proven."""

from __future__ import annotations

from typing import Final

from kwitness.console.index.database import Database
from kwitness.console.index.members import PUSHES
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, Table

__all__ = ["HOUR_TOTALS", "MINUTES", "MOST_NAMESPACES", "HourTotals"]

MINUTES: Final = 60
"""Minutes that are kept."""
MOST_NAMESPACES: Final = 500
"""Namespaces of a minute, those of the most connections and instances; others are in the row without a namespace."""
_MINUTE_MS: Final = 60_000
HOUR_TOTALS: Final = Table(
    "hour_totals",
    {
        "minute": "BIGINT",
        "k8s_namespace": "VARCHAR",
        "connections": "BIGINT",
        "pushing": "BIGINT",
        "written": "DOUBLE",
        "read": "DOUBLE",
    },
    namespace="k8s_namespace",
)


def _minute_of(minute: int, *, is_counted: bool) -> str:
    """Return the statement that puts the numbers of now in the place of a minute.

    Parameters
    ----------
    is_counted
        Whether observers counted something new in it; without that, bytes are not known.
    """
    counted = str(is_counted).lower()
    return f"""
    CREATE OR REPLACE TABLE hour_totals AS
    SELECT * FROM hour_totals WHERE minute > {minute - MINUTES} AND minute < {minute}
    UNION ALL
    SELECT {minute}, CASE WHEN place <= {MOST_NAMESPACES} THEN namespace END, sum(connections)::BIGINT,
      sum(pushing)::BIGINT, sum(written), sum(read)
    FROM (
      SELECT namespace, sum(connections) AS connections, sum(pushing) AS pushing,
        CASE WHEN {counted} THEN coalesce(sum(written), 0) END AS written,
        CASE WHEN {counted} THEN coalesce(sum(read), 0) END AS read,
        row_number() OVER (ORDER BY sum(connections) + sum(pushing) DESC, namespace) AS place
      FROM (
        SELECT {CONNECTIONS.namespace} AS namespace, count(*) AS connections, 0 AS pushing, NULL::DOUBLE AS written,
          NULL::DOUBLE AS read
        FROM connections GROUP BY ALL
        UNION ALL SELECT {CLIENTS.namespace}, 0, count(*), NULL, NULL FROM clients WHERE {PUSHES} GROUP BY 1
        UNION ALL SELECT seen_namespace, 0, 0, sum(bytes_per_s) FILTER (direction = 'writes'),
          sum(bytes_per_s) FILTER (direction = 'reads')
        FROM flows GROUP BY 1
        UNION ALL SELECT NULL, 0, 0, NULL, NULL
      ) GROUP BY namespace
    ) GROUP BY 2
    """


class HourTotals:
    """Has a row for each minute in which the index was put together, of the last time in it."""

    def __init__(self) -> None:
        self._minute = 0
        self._until_ms: int | None = None
        self._before_ms: int | None = None

    def add(self, database: Database, now_ms: int) -> None:
        """Put the numbers of now in the place of this minute."""
        minute = now_ms // _MINUTE_MS
        if minute > self._minute:
            self._minute, self._before_ms = minute, self._until_ms
        self._until_ms = database.row("SELECT max(until_ms) AS until_ms FROM traffic")["until_ms"]
        is_counted = self._until_ms is not None and self._until_ms != self._before_ms
        database.write(_minute_of(self._minute, is_counted=is_counted))
