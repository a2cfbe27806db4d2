"""From rows of interceptions and traffic to sets of offsets, and how sets grow. It does not run yet.

The axis is offsets and not time: observers' windows are of arrival, interceptors' of the records' own time. Sets are a
lattice: a union may be made twice, in any order. What is to come: control batches, aborted records and what compaction
removed have to leave the sets before two of them are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

from kwitness.contracts.topics import INTERCEPTIONS, SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.completeness.schema import KEYS, MAX_RANGES, OFFSET_RANGES, TABLE_SCHEMA
from kwitness.jobs.frame.intervals import Intervals, coalesced, difference, holes, size, union, within
from kwitness.jobs.frame.job import JobInput, TransformResult
from kwitness.jobs.frame.json_events import decoded_events, rejected_column

if TYPE_CHECKING:
    import pyarrow as pa

_COMMON = (
    StructField("schema", StringType()),
    StructField("event_source", StringType()),
    StructField("event_epoch", LongType()),
    StructField("event_seq", LongType()),
    StructField("kind", StringType()),
    StructField("topic", StringType()),
    StructField("group_id", StringType()),
    StructField("window_start_ms", LongType()),
    StructField("window_end_ms", LongType()),
)
_RANGES = (StructField("offset_ranges", OFFSET_RANGES), StructField("offset_ranges_merged", LongType()))
_READ = StructType(
    [
        *_COMMON,
        StructField("api", StringType()),
        StructField("side", StringType()),
        StructField("partition", IntegerType()),
        *_RANGES,
        StructField("partitions", ArrayType(StructType([StructField("partition", IntegerType()), *_RANGES]))),
    ]
)
_NAMES = {kind: (SCHEMAS[kind],) for kind in (INTERCEPTIONS, TRAFFIC)}


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Turn records of the topics interceptions and traffic into rows of the table's schema, one per set of offsets."""
    read = decoded_events(records, _READ, _NAMES)
    event = F.col("event").getField
    of_partition = F.struct("event.partition", "event.offset_ranges", "event.offset_ranges_merged")
    partitions = F.when(event("kind") == "topic", event("partitions")).when(
        (event("kind") == "partition") & event("partition").isNotNull(), F.array(of_partition)
    )
    wanted = job_input.parameters.topics
    chosen = event("topic").isNotNull() & (event("topic").isin(*wanted) if wanted else F.lit(True))
    decoded = read.select(
        F.when(chosen, F.struct("event", partitions.alias("partitions"), _said(event).alias("said"))).alias("row"),
        rejected_column().alias("rejected"),
        F.when(F.col("problem").isNull(), F.lit(1)).cast(LongType()).alias("used"),
    )
    told = decoded.where("row.partitions is not null and row.said is not null").select(
        F.col("row.event").alias("event"), "row.said", F.explode("row.partitions").alias("one")
    )
    rows = (
        told.where("one.offset_ranges is not null")
        .groupBy(
            F.col("event.topic").alias("topic"),
            F.col("one.partition").alias("partition"),
            "said",
            F.when(F.col("event.kind") == "topic", "interceptors").otherwise("wire").alias("evidence"),
            F.when(F.col("said") == "Consumed", F.coalesce("event.group_id", F.lit("")))
            .otherwise("")
            .alias("group_id"),
        )
        .agg(
            F.flatten(F.collect_list("one.offset_ranges")).alias("ranges"),
            F.bool_and(F.coalesce("one.offset_ranges_merged", F.lit(0)) == 0).alias("exact"),
            F.min("event.window_start_ms").alias("first_window_ms"),
            F.max("event.window_end_ms").alias("last_window_ms"),
        )
    )
    return TransformResult(decoded, rows.select(*TABLE_SCHEMA.names))


def combined(table: DataFrame, rows: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table after a batch, for the sets that `rows` are about."""
    del job_input
    old = table.select(*KEYS, F.struct(*TABLE_SCHEMA.names).alias("old"))
    new = rows.select(*KEYS, F.struct(*TABLE_SCHEMA.names).alias("new"))
    return new.join(old, list(KEYS), "left").select("old", "new").mapInArrow(_united, TABLE_SCHEMA)


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes: `combined` has looked at the row that is there."""
    del table
    return {name: F.col(f"{update}.{name}") for name in TABLE_SCHEMA.names}


def bounded(offsets: Intervals, most: int = MAX_RANGES) -> Intervals:
    """At most so many ranges: the shortest gaps are closed, so that the set may hold too much and never too little."""
    if len(offsets) <= most:
        return offsets
    shortest = sorted(holes(offsets), key=lambda hole: (size((hole,)), hole))[: len(offsets) - most]
    return union(offsets, coalesced(shortest))


def missing(sent: Intervals, consumed: Intervals) -> Intervals:
    """Offsets that were sent and not consumed, from the group's first to its last; later ones it may read yet."""
    if not consumed:
        return ()
    return within(difference(sent, consumed), consumed[0][0], consumed[-1][1])


def _said(event: Any) -> Column:
    return (
        F.when((event("kind") == "topic") & (event("side") == "producer"), "Acknowledged")
        .when((event("kind") == "topic") & (event("side") == "consumer"), "Consumed")
        .when((event("kind") == "partition") & (event("api") == "Produce"), "Produced")
        .when((event("kind") == "partition") & (event("api") == "Fetch"), "Consumed")
    )


def _united(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    # Imported here: only the executors' Python workers have a use for it.
    import pyarrow as pa  # noqa: PLC0415
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415

    for batch in batches:
        rows = [_row(line["old"], line["new"]) for line in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=to_arrow_schema(TABLE_SCHEMA))


def _row(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    both = [row for row in (old, new) if row is not None]
    offsets = coalesced((one["first"], one["last"]) for row in both for one in row["ranges"])
    kept = bounded(offsets)
    return {
        **new,
        "ranges": [{"first": first, "last": last} for first, last in kept],
        "exact": all(row["exact"] for row in both) and kept == offsets,
        "first_window_ms": min(row["first_window_ms"] for row in both),
        "last_window_ms": max(row["last_window_ms"] for row in both),
    }
