"""Names owners in rows: the matching of `kwitness.contracts.owner_lookup`, as a column of Spark."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StringType, StructField, StructType

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import OwnedBy, OwnerList
from kwitness.jobs.frame.columns import column

__all__ = ["CLIENT_FACTS", "OWNER", "TOPIC_PREFIX", "owner_columns", "owner_of", "with_owners"]

OWNER = StructType([StructField(name, StringType()) for name in ("owner", "owner_contact", "owner_source")])
"""Team, contact and the source that names them. Its fields are columns of tables."""

CLIENT_FACTS: Mapping[OwnedBy, str] = MappingProxyType(
    {"principal": "principal", "client_id": "client_id", "namespace": "k8s_namespace", "group": "group_id"}
)
"""Facts about a client, with the columns of tables that have them."""
TOPIC_PREFIX = "topic_"
"""Columns of a topic's owner begin so."""


def owner_columns(whose: str, prefix: str = "") -> tuple[StructField, ...]:
    """Return the columns of `OWNER` as a table has them, in words for their reference."""
    comments = (
        f"Team that the owners of the KafkaCluster name for {whose}; null: no entry fits, or there are no owners.",
        "How to reach it.",
        "Source that names it: ConfigMap, KafkaUser, KafkaTopic or Namespace.",
    )
    return tuple(
        column(f"{prefix}{name}", StringType(), text) for name, text in zip(OWNER.names, comments, strict=True)
    )


def with_owners(rows: DataFrame, owners: OwnerList | None, at_ms: Column) -> DataFrame:
    """Return rows with the owner of their client, and that of their topic where rows have one.

    Entries that match both a client and a topic name neither.
    """
    client = {fact: F.col(name) for fact, name in CLIENT_FACTS.items() if name in rows.columns}
    found = {"": owner_of(owners, at_ms, **client)}
    if "topic" in rows.columns:
        found[TOPIC_PREFIX] = owner_of(owners, at_ms, topic=F.col("topic"))
    named = rows.withColumns({f"_{prefix}owner": owner for prefix, owner in found.items()})
    columns = {f"{prefix}{name}": F.col(f"_{prefix}owner")[name] for prefix in found for name in OWNER.names}
    return named.withColumns(columns).drop(*(f"_{prefix}owner" for prefix in found))


def owner_of(
    owners: OwnerList | None,
    at_ms: Column,
    *,
    principal: Column | None = None,
    client_id: Column | None = None,
    namespace: Column | None = None,
    group: Column | None = None,
    topic: Column | None = None,
) -> Column:
    """Return a column of `OWNER`, null where no entry fits. A fact that is left out or null fits no pattern.

    Python workers find the owners, since Spark would compare each row with each of ten thousand entries. Where no
    entry can fit, no row goes through Python.

    Parameters
    ----------
    at_ms
        The row's own time, in milliseconds since 1970: so a row that is computed again keeps its owner.
    """
    columns: dict[OwnedBy, Column | None] = {
        "principal": principal,
        "client_id": client_id,
        "namespace": namespace,
        "group": group,
        "topic": topic,
    }
    facts = {name: column for name, column in columns.items() if column is not None}
    entries = [entry for entry in owners.owners if entry.match.patterns().keys() <= facts.keys()] if owners else []
    if not entries:
        return F.lit(None).cast(OWNER)
    content = OwnerList(owners=tuple(entries)).model_dump_json(by_alias=True, exclude_none=True)
    names = tuple(facts)

    # Spark knows the kind of function by these very types.
    def of_batch(at_ms: pa.Array, *facts: pa.Array) -> pa.Array:  # type: ignore[type-arg]
        return _owners(content, names, at_ms, *facts)

    find_owner = arrow_udf(of_batch, OWNER)  # type: ignore[call-overload]
    found: Column = find_owner(at_ms, *facts.values())
    return found


@lru_cache(maxsize=4)
def _lookup(owners: str) -> OwnerLookup:
    """Return the lookup of a list in JSON, which a worker makes once for all of its batches."""
    return OwnerLookup(OwnerList.model_validate_json(owners))


def _owners(owners: str, names: tuple[OwnedBy, ...], at_ms: pa.Array[Any], *facts: pa.Array[Any]) -> pa.Array[Any]:
    """Return the owners of a batch of rows; each distinct row is compared once."""
    lookup = _lookup(owners)
    rows = list(zip(at_ms.to_pylist(), *(fact.to_pylist() for fact in facts), strict=True))
    found = {}
    for row in dict.fromkeys(rows):
        entry = lookup.owner_of(dict(zip(names, row[1:], strict=True)), row[0])
        found[row] = (
            None if entry is None else dict(zip(OWNER.names, (entry.team, entry.contact, entry.source), strict=True))
        )
    kind = pa.struct([(name, pa.string()) for name in OWNER.names])
    return pa.array([found[row] for row in rows], kind)
