"""The columns of the client inventory, and the algebra of `row` once more as Spark expressions, for group and merge."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.software import OUR_CLIENT_ID_PREFIX, OUR_VERSION_SUFFIX
from kwitness.jobs.analyses.client_inventory.conformance import REQUIRED, REQUIRED_BY_ROLE
from kwitness.jobs.analyses.client_inventory.row import MAX_METRICS, MAX_VERSIONS
from kwitness.jobs.frame.columns import column
from kwitness.jobs.frame.owners import owner_columns

_VERSION = StructType(
    [
        StructField("client_software_name", StringType()),
        StructField("client_software_version", StringType()),
        StructField("first_seen_ms", LongType()),
        StructField("last_seen_ms", LongType()),
    ]
)


PARTIAL_SCHEMA = StructType(
    [
        column("row_id", StringType(), "Key of the row: a digest of kind and what is counted as one.", nullable=False),
        column("kind", StringType(), "instance (a client that pushed) or software (seen connected).", nullable=False),
        *(column(key, StringType(), f"Identity key {key}, of the latest record.") for key in IDENTITY_KEYS),
        column("first_seen_ms", LongType(), "First time seen, ms since the epoch.", nullable=False),
        column("last_seen_ms", LongType(), "Last time seen, ms since the epoch.", nullable=False),
        column("versions", ArrayType(_VERSION), "Every software with the times between which it was seen."),
        column("metrics", ArrayType(StringType()), "Names of the metrics pushed, sorted."),
        column("metrics_truncated", BooleanType(), f"Whether there were more than {MAX_METRICS} metrics."),
        column("roles", ArrayType(StringType()), "Roles that the metrics give away: producer, consumer, ..."),
        column("terminated", BooleanType(), "Whether the instance said that it ends. Null for software."),
        column("max_connections", IntegerType(), "Most connections one broker reported at a time. Software only."),
    ]
)
"""Of a partial row: what some records say."""

TABLE_SCHEMA = StructType(
    [
        *PARTIAL_SCHEMA.fields,
        column("missing_required", ArrayType(StringType()), "Metrics KIP-714 requires for the roles, never pushed."),
        column("ours", BooleanType(), "Whether the client announces itself as one of kwitness's own."),
        column("conforms", BooleanType(), "Whether none is missing. Null while no role is known, and for software."),
        *owner_columns("the client, when it was seen last"),
        column("ended", BooleanType(), "Whether it said that it ends, or was not seen for a day. Splits the table."),
    ]
)
"""Of the Delta table: partial rows put together, and judged."""


#: How far a row's times may lag behind what was seen: a client that only shows that it is still there is not written.
SEEN_TOLERANCE_MS = 600_000


def dated_identity(prefix: str = "") -> Column:
    """The struct whose greatest is the present identity; nulls come before every text, as in `row`."""
    return F.struct(F.col(f"{prefix}last_seen_ms"), *(F.col(f"{prefix}{key}") for key in IDENTITY_KEYS))


def merged_metrics(names: Column) -> Column:
    """Distinct names, cut to `MAX_METRICS` in the order of `metric_order`, sorted."""
    required = F.array(*(F.lit(name) for name in sorted(REQUIRED)))
    distinct = F.array_distinct(names)
    ranked = F.array_sort(
        F.transform(distinct, lambda name: F.struct((~F.array_contains(required, name)).alias("o"), name.alias("n")))
    )
    cut = F.transform(F.slice(ranked, 1, MAX_METRICS), lambda entry: entry["n"])
    return F.when(F.size(distinct) <= MAX_METRICS, F.array_sort(distinct)).otherwise(F.array_sort(cut))


def exceeds_metrics(names: Column) -> Column:
    """Whether there are more distinct names than are kept."""
    return F.size(F.array_distinct(names)) > MAX_METRICS


def merged_versions(entries: Column) -> Column:
    """One entry per software with the earliest first and the latest last time, sorted, cut to `MAX_VERSIONS`."""
    softwares = F.array_distinct(
        F.transform(entries, lambda v: F.struct(v["client_software_name"], v["client_software_version"]))
    )

    def spanned(software: Column) -> Column:
        same = F.filter(
            entries,
            lambda v: (
                v["client_software_name"].eqNullSafe(software["client_software_name"])
                & v["client_software_version"].eqNullSafe(software["client_software_version"])
            ),
        )
        return F.struct(
            software["client_software_name"].alias("client_software_name"),
            software["client_software_version"].alias("client_software_version"),
            F.array_min(F.transform(same, lambda v: v["first_seen_ms"])).alias("first_seen_ms"),
            F.array_max(F.transform(same, lambda v: v["last_seen_ms"])).alias("last_seen_ms"),
        )

    return F.transform(F.slice(F.sort_array(softwares), 1, MAX_VERSIONS), spanned)


def times_within_tolerance(old: Column, new: Column) -> Column:
    """Whether two lists of `versions` say the same, but for last times that the new one moves by less than that."""
    undated = [F.transform(versions, lambda v: v.dropFields("last_seen_ms")) for versions in (old, new)]
    moved = F.zip_with(old, new, lambda one, other: other["last_seen_ms"] - one["last_seen_ms"])
    return undated[0].eqNullSafe(undated[1]) & F.forall(moved, lambda by: by < SEEN_TOLERANCE_MS)


def missing_required(kind: Column, roles: Column, metrics: Column) -> Column:
    """Required metrics of the roles that are not among the metrics, sorted; null for software."""
    nothing = F.array().cast(ArrayType(StringType()))
    wanted = [
        F.when(F.array_contains(roles, role), F.array(*(F.lit(name) for name in names))).otherwise(nothing)
        for role, names in REQUIRED_BY_ROLE.items()
    ]
    missing = F.array_except(reduce(F.array_union, wanted), metrics)
    return F.when(kind == "instance", F.array_sort(missing))


def ours(identity: Callable[[str], Column]) -> Column:
    """Whether a client is one of the platform's own: `kwitness.contracts.software.is_ours` on columns."""
    keys = ("client_id", "client_software_name", "client_software_version")
    client_id, name, version = (F.coalesce(identity(key), F.lit("")) for key in keys)
    named = client_id.startswith(OUR_CLIENT_ID_PREFIX) | name.startswith(OUR_CLIENT_ID_PREFIX)
    return named | version.endswith(OUR_VERSION_SUFFIX)


def conforms(roles: Column, missing: Column) -> Column:
    """Whether nothing required is missing; null while nothing can be required."""
    judged = F.arrays_overlap(roles, F.array(*(F.lit(role) for role in REQUIRED_BY_ROLE)))
    return F.when(judged, F.size(missing) == 0)
