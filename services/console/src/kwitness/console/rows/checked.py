"""Selects what checks found about the installation, the worst first."""

from __future__ import annotations

from typing import Final

from kwitness.console.index.database import Database, Row

__all__ = ["MOST_FINDINGS", "checked_rows", "checked_totals"]

MOST_FINDINGS: Final = 500
"""Findings of a page: a person reads no more, and the first ones are the worst."""
_SEVERITIES: Final = ["error", "warning", "note", "ok"]


def checked_rows(database: Database) -> list[Row]:
    """Return findings by severity, in the order of the checks, at most `MOST_FINDINGS`."""
    return database.rows(
        f"SELECT * FROM checked ORDER BY list_position($severities, severity), place LIMIT {MOST_FINDINGS}",
        {"severities": _SEVERITIES},
    )


def checked_totals(database: Database) -> Row:
    """Return how many findings there are of each severity."""
    counts = ", ".join(f"count(*) FILTER (severity = '{name}') AS {name}s" for name in _SEVERITIES)
    return database.row(f"SELECT count(*) AS things, {counts} FROM checked")
