"""Lists the namespaces whose clients or resources the index has."""

from __future__ import annotations

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.database import Database

__all__ = ["known_namespaces"]


def known_namespaces(database: Database) -> list[str]:
    """Return the namespaces of all rows, sorted: those about which readers' permissions are asked."""
    tables = " UNION ".join(
        f"SELECT {table.namespace} AS namespace FROM {table.name}" for table in ALL_TABLES if table.namespace
    )
    rows = database.rows(f"SELECT namespace FROM ({tables}) WHERE namespace > '' ORDER BY namespace")
    return [row["namespace"] for row in rows]
