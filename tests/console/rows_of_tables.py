"""A row for each table of the index, with the name of one namespace in all of its texts."""

from __future__ import annotations

import json
from typing import Any, Final

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.database import Database
from kwitness.console.index.members import rebuild
from kwitness.console.index.tables import Table

_NAMESPACES: Final = {"k8s_namespace", "pod_namespace"}
_LITERALS: Final = {"seen_by": "observer", "reason": "Unknown"}
"""Values of texts that models restrict."""
_VALUES: Final[dict[str, Any]] = {"BIGINT": 1, "DECIMAL(38,0)": 1, "DOUBLE": 1.0, "BOOLEAN": True, "JSON": {}}


def row_of(table: Table, namespace: str) -> dict[str, Any]:
    """Return an item of a table."""

    def value(name: str, kind: Any) -> Any:
        if name in _NAMESPACES:
            return namespace
        if name in _LITERALS:
            return _LITERALS[name]
        if isinstance(kind, dict):
            return {field: value(field, inner) for field, inner in kind.items()}
        if isinstance(kind, list):
            return [value(name, inner) for inner in kind]
        return _VALUES.get(kind, f"{namespace}/{name}")

    return {name: value(name, kind) for name, kind in table.structure.items()}


def add_rows(database: Database, namespace: str) -> None:
    """Add a row to each table, and put the index together again."""
    for table in ALL_TABLES:
        database.write(table.added(json.dumps([row_of(table, namespace)])))
    rebuild(database)
