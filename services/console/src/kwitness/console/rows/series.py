"""Selects whether a reader may see the series of a name, and those of which namespaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kwitness.console.index.database import Database

__all__ = ["is_known", "proven_namespaces"]

_TABLES: Final = {"client_id": ("clients", "connections", "traffic"), "topic": ("traffic", "groups")}
_OF_CLIENTS: Final = ("clients", "connections", "traffic")
"""Tables whose rows readers of namespaces have by the namespace that is proven for each."""


def is_known(database: Database, label: str, name: str) -> bool:
    """Return True where the index has a row of a client id or topic."""
    return any(
        database.rows(f"SELECT 1 FROM {table} WHERE {label} = $name LIMIT 1", {"name": name})
        for table in _TABLES[label]
    )


def proven_namespaces(database: Database, label: str, name: str) -> Sequence[str]:
    """Return the namespaces of the rows of a name, in the index of a reader of namespaces."""
    tables = [table for table in _TABLES[label] if table in _OF_CLIENTS]
    query = " UNION ".join(f"SELECT k8s_namespace FROM {table} WHERE {label} = $name" for table in tables)
    return sorted(row["k8s_namespace"] for row in database.rows(query, {"name": name}) if row["k8s_namespace"])
