"""From records of pushes and connections to rows of the inventory, and how rows combine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources.meta import parse_duration
from kwitness.jobs.analyses.client_inventory import schema as columns
from kwitness.jobs.analyses.client_inventory.push import push_row
from kwitness.jobs.analyses.client_inventory.row import InventoryRow, as_columns, combine
from kwitness.jobs.analyses.client_inventory.snapshot import snapshot_rows
from kwitness.jobs.frame.job import JobInput, TransformResult, decoded_schema, rows_in
from kwitness.jobs.frame.kafka_record import KafkaRecord, records_in
from kwitness.jobs.frame.moments import epoch_ms
from kwitness.jobs.frame.owners import OWNER, with_owners
from kwitness.jobs.frame.rejection import RejectedRecordError, rejection

if TYPE_CHECKING:
    import pyarrow as pa

_DECODED = decoded_schema(columns.PARTIAL_SCHEMA)
#: Partial rows and names of metrics held before they are handed on, and rows handed on at a time, so that one task's
#: memory has a bound. Rows with the same metrics share one set of names.
_HELD_ROWS = 20_000
_HELD_NAMES = 200_000
_HANDED_ROWS = 500


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Turn records of the two topics into rows of the table, one per `row_id`.

    Parameters
    ----------
    records
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind` (`telemetry` or `connections`).
    """
    decoded = records.mapInArrow(decode, _DECODED)
    partial = rows_in(decoded)
    latest = F.col("latest")
    rows = (
        partial.groupBy("row_id")
        .agg(
            F.first("kind").alias("kind"),
            F.max(columns.dated_identity()).alias("latest"),
            F.min("first_seen_ms").alias("first_seen_ms"),
            F.flatten(F.collect_list("versions")).alias("versions"),
            F.flatten(F.collect_set("metrics")).alias("metrics"),
            F.bool_or("metrics_truncated").alias("metrics_truncated"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_set("roles")))).alias("roles"),
            F.bool_or("terminated").alias("terminated"),
            F.max("max_connections").alias("max_connections"),
        )
        .withColumns({"last_seen_ms": latest["last_seen_ms"], "versions": columns.merged_versions(F.col("versions"))})
        .withColumn("metrics_truncated", F.col("metrics_truncated") | columns.exceeds_metrics(F.col("metrics")))
        .withColumn("metrics", columns.merged_metrics(F.col("metrics")))
        .withColumns({key: latest[key] for key in IDENTITY_KEYS})
        .withColumn("ours", columns.ours(F.col))
        .withColumn("missing_required", columns.missing_required(F.col("kind"), F.col("roles"), F.col("metrics")))
        .withColumn("conforms", columns.conforms(F.col("roles"), F.col("missing_required")))
        .withColumn("ended", F.coalesce("terminated", F.lit(False)))
    )
    owned = with_owners(rows, job_input.owners, F.col("last_seen_ms"))
    return TransformResult(decoded, owned.select(*columns.TABLE_SCHEMA.names))


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes when the table (alias `table`) has the row of `update` already."""
    old = {name: F.col(f"{table}.{name}") for name in columns.TABLE_SCHEMA.names}
    new = {name: F.col(f"{update}.{name}") for name in columns.TABLE_SCHEMA.names}
    latest = F.greatest(columns.dated_identity(f"{table}."), columns.dated_identity(f"{update}."))
    metrics = F.array_union(old["metrics"], new["metrics"])
    roles = F.array_sort(F.array_union(old["roles"], new["roles"]))
    missing = columns.missing_required(old["kind"], roles, columns.merged_metrics(metrics))
    terminated = F.greatest(old["terminated"], new["terminated"])
    is_latest = columns.dated_identity(f"{update}.").eqNullSafe(latest)
    return {
        **{key: latest[key] for key in IDENTITY_KEYS},
        "first_seen_ms": F.least(old["first_seen_ms"], new["first_seen_ms"]),
        "last_seen_ms": F.greatest(old["last_seen_ms"], new["last_seen_ms"]),
        "versions": columns.merged_versions(F.concat(old["versions"], new["versions"])),
        "metrics": columns.merged_metrics(metrics),
        "metrics_truncated": old["metrics_truncated"] | new["metrics_truncated"] | columns.exceeds_metrics(metrics),
        "roles": roles,
        "terminated": terminated,
        "max_connections": F.greatest(old["max_connections"], new["max_connections"]),
        "ours": columns.ours(latest.getField),
        **{name: F.when(is_latest, new[name]).otherwise(old[name]) for name in OWNER.names},
        "missing_required": missing,
        "conforms": columns.conforms(roles, missing),
        "ended": F.coalesce(terminated, F.lit(False)),
    }


def unchanged(table: str, update: str) -> Column:
    """Whether a record says no more of a client than that it is still there, which was known minutes ago.

    The client's next record comes with a later time, so its row is at most `SEEN_TOLERANCE_MS` behind what was seen.
    """
    seen, versions = "last_seen_ms", "versions"
    merged = merge(table, update)
    same = (
        F.col(f"{table}.{name}").eqNullSafe(value) for name, value in merged.items() if name not in {seen, versions}
    )
    moved = merged[seen] - F.col(f"{table}.{seen}")
    return (
        reduce(Column.__and__, same)
        & (moved < columns.SEEN_TOLERANCE_MS)
        & columns.times_within_tolerance(F.col(f"{table}.{versions}"), merged[versions])
    )


def expired(job_input: JobInput, now: datetime) -> Column:
    """Rows that are dropped at the next housekeeping: clients not seen for `forget_after`."""
    horizon = now - parse_duration(job_input.parameters.forget_after)
    # A client may have been seen since, by less than the tolerance.
    return F.col("last_seen_ms") < F.lit(epoch_ms(horizon) - columns.SEEN_TOLERANCE_MS)


def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Decode Arrow batches of records into `row` or `rejected`, one partial row per client for many records."""
    held: list[InventoryRow] = []
    used = 0
    for batch in batches:
        rejected: list[dict[str, Any]] = []
        kinds = batch.column("kind").to_pylist()
        for record, kind in zip(records_in(batch), kinds, strict=True):
            try:
                held.extend(rows_of(record, kind))
                used += 1
            except RejectedRecordError as error:
                rejected.append(rejection(record, error))
        held = combine(held)
        if len(held) > _HELD_ROWS or _names_in(held) > _HELD_NAMES:
            yield from _handed_on(held, used)
            held, used = [], 0
        if rejected:
            yield _arrow(rejected=rejected)
    if used:
        yield from _handed_on(held, used)


def _names_in(rows: Iterable[InventoryRow]) -> int:
    return sum({id(row.metrics): len(row.metrics) for row in rows}.values())


def _handed_on(rows: Sequence[InventoryRow], used: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(rows), _HANDED_ROWS):
        yield _arrow(rows=rows[start : start + _HANDED_ROWS])
    yield _arrow(used=used)


def rows_of(record: KafkaRecord, kind: str | None) -> list[InventoryRow]:
    """What one record of a topic kind says about clients.

    Raises
    ------
    RejectedRecordError
        It says nothing that can be understood.
    """
    return [push_row(record)] if kind == "telemetry" else list(snapshot_rows(record))


def _arrow(rows: Iterable[InventoryRow] = (), rejected: Iterable[dict[str, Any]] = (), used: int = 0) -> pa.RecordBatch:
    # Imported here: only the executors' Python workers have a use for it.
    import pyarrow as pa  # noqa: PLC0415
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415

    entries: list[dict[str, Any]] = [{"row": as_columns(row)} for row in rows]
    entries += [{"rejected": one} for one in rejected]
    if used:
        # Some records say nothing about any client, so the number stands in a line of its own.
        entries.append({"used": used})
    return pa.RecordBatch.from_pylist(entries, schema=to_arrow_schema(_DECODED))
