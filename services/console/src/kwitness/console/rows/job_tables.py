"""Selects the table of an analysis that a page shows: the chosen one of its type, else the first."""

from __future__ import annotations

from typing import Final, NamedTuple

from kwitness.console.index.analyses import ANALYSES, JOB_TABLES
from kwitness.console.index.database import Database, Row
from kwitness.contracts.resources.analyses import AnalyticsJobType

__all__ = ["ShownTable", "shown_table"]

_OF_TYPE: Final = """
SELECT *, coalesce(computed_ms, latest_ms) AS until_ms FROM job_tables WHERE type = $type
ORDER BY job = $job DESC, version IS NULL, job
"""


class ShownTable(NamedTuple):
    """The row of `job_tables` that is shown, None where there is none, and the names of all of its type."""

    row: Row | None
    jobs: list[str]

    @property
    def job(self) -> str:
        """Its name; empty where there is none."""
        return self.row["job"] if self.row else ""

    @property
    def is_read(self) -> bool:
        """True where rows of it were read."""
        return self.row is not None and self.row["version"] is not None

    def place(self, name: str) -> tuple[str, str]:
        """Return the name of the table in SQL and the option that finds it; else those of examples, with this name."""
        return (self.row["name"] or name, self.row["option"] or "tables") if self.row else (name, "tables")


def shown_table(database: Database, job_type: AnalyticsJobType, job: str) -> ShownTable:
    """Return the table of a job; where it has none of this type, that of the first one."""
    rows = database.rows(_OF_TYPE, {"type": job_type, "job": job}) or _of_rows(database, job_type, job)
    return ShownTable(rows[0] if rows else None, sorted(row["job"] for row in rows))


def _of_rows(database: Database, job_type: AnalyticsJobType, job: str) -> list[Row]:
    """Return what rows say of their tables, for readers who see rows and not what is known of jobs."""
    [analysis] = [analysis for analysis in ANALYSES if analysis.job_type == job_type]
    columns = ", ".join(f"NULL AS {name}" for name in JOB_TABLES.fields if name not in {"job", "version"})
    return database.rows(
        f"SELECT job, 0 AS version, {columns}, {analysis.latest} AS until_ms FROM {analysis.name} GROUP BY job "
        "ORDER BY job = $job DESC, job",
        {"job": job},
    )
