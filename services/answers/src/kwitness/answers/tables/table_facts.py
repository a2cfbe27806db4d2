"""Describes a table: its rows, its version and what computed it."""

from __future__ import annotations

from typing import Any, Final

from kwitness.answers.tables.delta_tables import NamedTable, dataset_of, open_table

__all__ = ["describe_table"]

_COMPUTED_BY: Final = "computed_by"


def describe_table(named: NamedTable) -> dict[str, Any]:
    """Return the fields of a table, in the order of columns."""
    table = open_table(named.path)
    dataset = dataset_of(table)
    has_author = _COMPUTED_BY in dataset.schema.names
    first = dataset.head(1, columns=[_COMPUTED_BY]).to_pylist() if has_author else []
    return {
        "name": named.name,
        "rows": dataset.count_rows(),
        "version": table.version(),
        "changed_ms": table.history(1)[0]["timestamp"],
        "computed_by": first[0][_COMPUTED_BY] if first else None,
        "path": named.path,
    }
