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
"""Topics and applications by namespace that are kept: those of the most bytes now, then those of the latest points."""
_MINUTE_MS: Final = 60_000
TRENDS: Final = Table(
    "trends",
    {
        "subject": "UBIGINT",
        "k8s_namespace": "VARCHAR",
        "minute": "BIGINT",
        "written": "DOUBLE[]",
        "lag_ms": "BIGINT[]",
    },
    namespace="k8s_namespace",
)
"""Lists have an element for each minute up to that of the row, and NULL where nothing was counted."""


def subject(kind: str, name: str) -> str:
    """Return the number of a topic or application, in SQL, of an expression of its name."""
    return f"md5_number_lower('{kind}:' || {name})"


def _with(column: str, kind: str) -> str:
    """Return the list of a column with the new point, after NULL for each minute without one."""
    passed = "($minute - t.minute)"
    before = f"t.{column}[-({POINTS} - {passed}):] || list_resize([]::{kind}[], {passed} - 1)"
    return f"coalesce({before}, []) || [p.{column}] AS {column}"


_SAME: Final = "p.subject = t.subject AND p.k8s_namespace IS NOT DISTINCT FROM t.k8s_namespace"
_BEFORE: Final = f"t.minute > $minute - {POINTS} AND t.minute < $minute"
_POINT: Final = f"""
CREATE OR REPLACE TABLE trends AS
WITH point AS (
  SELECT {subject("topic", "topic")} AS subject, seen_namespace AS k8s_namespace,
    sum(bytes_per_s) FILTER (direction = 'writes') AS written, max(lag_ms) AS lag_ms
  FROM flows GROUP BY topic, seen_namespace
  UNION ALL
  SELECT {subject("application", "application")}, seen_namespace, sum(bytes_per_s) FILTER (direction = 'writes'),
    max(f.lag_ms)
  FROM flows AS f JOIN members ON id = member WHERE application IS NOT NULL GROUP BY application, seen_namespace
  ORDER BY written DESC NULLS LAST LIMIT {MOST_ROWS}
)
SELECT p.subject, p.k8s_namespace, $minute AS minute, {_with("written", "DOUBLE")}, {_with("lag_ms", "BIGINT")}
FROM point AS p LEFT JOIN trends AS t ON {_SAME} AND {_BEFORE}
UNION ALL
SELECT * FROM (
  SELECT t.* FROM trends AS t ANTI JOIN point AS p ON {_SAME} WHERE {_BEFORE}
  ORDER BY t.minute DESC LIMIT (SELECT {MOST_ROWS} - count(*) FROM point)
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
        database.write(_POINT.replace("$minute", str(minute)))
        self._minute, self._until_ms = minute, until_ms
