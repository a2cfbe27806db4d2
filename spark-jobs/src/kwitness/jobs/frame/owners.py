"""Whose a client or topic is, as a column: what `kwitness.contracts.owners.Owners.owner_of` says of values."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StringType, StructField, StructType

from kwitness.contracts.owners import OwnedBy, Owners

__all__ = ["OWNER", "owner_of"]

OWNER = StructType([StructField("owner", StringType()), StructField("owner_contact", StringType())])
"""What `owner_of` gives: team and contact, null where it is nobody's. Its fields are columns of tables."""


def owner_of(
    owners: Owners | None,
    *,
    principal: Column | None = None,
    client_id: Column | None = None,
    namespace: Column | None = None,
    topic: Column | None = None,
) -> Column:
    """Column of `OWNER`; null where it is nobody's. What is left out or null fits no pattern."""
    columns: dict[OwnedBy, Column | None] = {
        "principal": principal,
        "client_id": client_id,
        "namespace": namespace,
        "topic": topic,
    }
    nobody = F.lit(None).cast(OWNER)
    cases = None
    for entry in owners.owners if owners else ():
        condition = F.lit(True)
        for name, pattern in entry.match.patterns().items():
            condition = condition & _fits(columns[name], pattern)
        owner = F.struct(F.lit(entry.team).alias("owner"), F.lit(entry.contact).cast("string").alias("owner_contact"))
        cases = cases.when(condition, owner) if cases is not None else F.when(condition, owner)
    return nobody if cases is None else cases.otherwise(nobody)


def _fits(column: Column | None, pattern: str) -> Column:
    if column is None:
        return F.lit(False)
    return column.startswith(pattern[:-1]) if pattern.endswith("*") else column == pattern
