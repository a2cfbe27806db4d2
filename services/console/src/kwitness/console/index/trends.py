"""Keeps the last hour in memory: a point each minute, of bytes written and of lag, by topic and by application.

Rows have the namespace that an observer proved, so readers of namespaces have the trends of what they see. Names are
kept as numbers: a point of a long name takes no more memory than that of a short one.
"""

from __future__ import annotations

from typing import Final

from kwitness.console.index.database import Database
from kwitness.console.index.tables import Table

__all__ = ["MOST_ROWS", "POINTS", "TRENDS", "Trends", "subject"]

POINTS: Final = 60
"""Minutes that are kept."""
MOST_ROWS: Final = 10_000
"""Rows of a point: topics and applications by namespace, those of the most bytes."""
_MINUTE_MS: Final = 60_000
TRENDS: Final = Table(
    "trends",
    {
        "minute": "BIGINT",
        "subject": "UBIGINT",
        "k8s_namespace": "VARCHAR",
        "written": "DOUBLE",
        "lag_ms": "BIGINT",
    },
    namespace="k8s_namespace",
)


def subject(kind: str, name: str) -> str:
    """Return the number of a topic or application, in SQL, of an expression of its name."""
    return f"md5_number_lower('{kind}:' || {name})"


_POINT: Final = f"""
CREATE OR REPLACE TABLE trends AS
SELECT * FROM trends WHERE minute > $minute - {POINTS} AND minute < $minute
UNION ALL
SELECT $minute, * FROM (
  SELECT {subject("topic", "topic")} AS subject, seen_namespace,
    sum(bytes_per_s) FILTER (direction = 'writes') AS written, max(lag_ms) AS lag_ms
  FROM flows GROUP BY topic, seen_namespace
  UNION ALL
  SELECT {subject("application", "application")}, seen_namespace, sum(bytes_per_s) FILTER (direction = 'writes'),
    max(f.lag_ms)
  FROM flows AS f JOIN members ON id = member WHERE application IS NOT NULL GROUP BY application, seen_namespace
  ORDER BY written DESC NULLS LAST LIMIT {MOST_ROWS}
)
"""


class Trends:
    """Adds a point for each minute in which observers counted something new; others have none."""

    def __init__(self) -> None:
        self._minute = 0
        self._until_ms: int | None = None

    def add(self, database: Database, now_ms: int) -> None:
        """Add the point of a minute, unless there is one, or its numbers are those of the one before."""
        until_ms = database.row("SELECT max(until_ms) AS until_ms FROM traffic")["until_ms"]
        minute = now_ms // _MINUTE_MS
        if until_ms is None or until_ms == self._until_ms or minute <= self._minute:
            return
        database.write((_POINT.replace("$minute", str(minute)), []))
        self._minute, self._until_ms = minute, until_ms
