"""Columns of tables, as jobs declare them."""

from __future__ import annotations

from pyspark.sql.types import DataType, StructField


def column(name: str, kind: DataType, comment: str, *, nullable: bool = True) -> StructField:
    """A column with what the table and its reference page say of it."""
    return StructField(name, kind, nullable, {"comment": comment})
