"""From what producers sent on both sides to spans of time, and what consumers of the mirror found changed.

Offsets differ between clusters, and batches say their first and last timestamps alone: so offsets are put into spans by
the latest timestamp of their row, and two spans may differ by the batches at both ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import IntegerType, LongType, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import INTERCEPTIONS, SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.mirror_audit.rows import united
from kwitness.jobs.analyses.mirror_audit.schema import KEYS, NO_PARTITION, SPAN, TABLE_SCHEMA, TOPIC
from kwitness.jobs.frame.job import JobInput, TransformResult, rows_in
from kwitness.jobs.frame.json_events import decoded_events, problem, rejected_column, union_of
from kwitness.jobs.frame.moments import epoch_ms, in_milliseconds
from kwitness.jobs.frame.window_events import LARGEST, count_problem
from kwitness.jobs.generated.schemas import PARTITION_TRAFFIC, TOPIC_INTERCEPTIONS

KEPT = timedelta(days=30)
"""How long spans are kept; what lies further back is not judged any more."""
_AHEAD = timedelta(days=1)
_MAX_RANGES = 8
_READ = (
    *("schema", "kind", "event_source", "event_epoch", "event_seq", "api", "topic", "partition", "batches", "records"),
    *("window_start_ms", "window_end_ms", "max_timestamp_ms", "transactional_batches", "offset_ranges"),
    *("side", "anomalies"),
)
_COUNTS = ("batches", "records", "transactional_batches")
_ALL = union_of((PARTITION_TRAFFIC, TOPIC_INTERCEPTIONS))
_EVENT = StructType([_ALL[name] for name in _READ])
_NAMES = {kind: (SCHEMAS[kind],) for kind in (TRAFFIC, INTERCEPTIONS)}
_EVENT_ID = ("event_source", "event_epoch", "event_seq")


def of_source(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Records of the source's platform: rows of the table's schema, of spans."""
    return _transformed(records, job_input, "source")


def of_target(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Records of the mirror's platform likewise, by the names that topics have at the source."""
    return _transformed(records, job_input, "target")


def combined(table: DataFrame, rows: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table after a batch, for the spans and topics that `rows` are about."""
    del job_input
    old = table.select(*KEYS, F.struct(*TABLE_SCHEMA.names).alias("old"))
    new = rows.select(*KEYS, F.struct(*TABLE_SCHEMA.names).alias("new"))
    return new.join(old, list(KEYS), "left").select("old", "new").mapInArrow(united, TABLE_SCHEMA)


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes: `combined` and `compare` have looked at the row that is there."""
    del table
    return {name: F.col(f"{update}.{name}") for name in TABLE_SCHEMA.names}


def expired(job_input: JobInput, now: datetime) -> Column:
    """Rows that are dropped: spans of long ago, or of a time that will be; what was not there for as long."""
    del job_input
    is_span, kept = F.col("kind") == SPAN, F.lit(epoch_ms(now - KEPT))
    of_another_time = (F.col("time_ms") < kept) | (F.col("time_ms") > F.lit(epoch_ms(now + _AHEAD)))
    return F.when(is_span, of_another_time).otherwise(F.greatest("surveyed_ms", "last_ms") < kept)


def span_ms_of(job_input: JobInput) -> int:
    """Length of a span, in milliseconds."""
    return max(1, round(job_input.window_seconds * 1000))


def tolerance_ms_of(job_input: JobInput) -> int:
    """How late a record may be at the mirror, in milliseconds."""
    return in_milliseconds(parse_duration(job_input.parameters.tolerance))


def mirrored_as(topic: str, parameters: Any) -> str | None:
    """What the mirror calls a topic of the source; None of one that is not mirrored."""
    chosen = parameters.topics
    if not topic.startswith(chosen.source_prefix) or (chosen.names and topic not in chosen.names):
        return None
    return str(chosen.mirror_prefix) + topic.removeprefix(chosen.source_prefix)


def _transformed(records: DataFrame, job_input: JobInput, side: str) -> TransformResult:
    decoded = _decoded(records, job_input, side)
    said = rows_in(decoded)
    grouped = said.dropDuplicates(list(_EVENT_ID)).groupBy(*KEYS)
    rows = grouped.agg(
        F.flatten(F.collect_list("ranges")).alias(f"{side}_ranges"),
        F.max("batch").alias("tolerance"),
        F.max("transactional").alias("transactional"),
        F.collect_list(
            F.when(F.col("changed") > 0, F.struct(F.xxhash64(*_EVENT_ID).alias("row"), "last_ms", "changed"))
        ).alias("changed_rows"),
        F.max("last_ms").alias("last_ms"),
    )
    known = {name: F.col(name) for name in rows.columns}
    columns = (
        known.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name) for field in TABLE_SCHEMA.fields
    )
    return TransformResult(decoded, rows.select(*columns))


def _decoded(records: DataFrame, job_input: JobInput, side: str) -> DataFrame:
    """Lines of `kwitness.jobs.frame.job.decoded_schema`, one for each record."""
    events = decoded_events(records, _EVENT, _NAMES)
    event = F.col("event").getField
    span_ms = span_ms_of(job_input)
    is_sent = (F.col("kind") == TRAFFIC) & (event("kind") == "partition") & (event("api") == "Produce")
    is_found = (F.col("kind") == INTERCEPTIONS) & (event("kind") == "topic") & (event("side") == "consumer")
    mismatches = F.try_element_at("event.anomalies", F.lit("checksum_mismatch"))
    ranges = F.coalesce(event("offset_ranges"), F.array().cast(_EVENT["offset_ranges"].dataType))
    says = (is_sent & (F.size(ranges) > 0) & event("partition").isNotNull()) | (
        is_found & (mismatches > 0) & F.lit(side == "target")
    )
    topic = _at_source(event("topic"), job_input) if side == "target" else _chosen(event("topic"), job_input)
    used = F.coalesce(says, F.lit(False)) & topic.isNotNull()
    trouble = F.when(
        F.coalesce(
            (F.size(ranges) > _MAX_RANGES) | (event("partition") < 0) | (event("partition") >= 1 << 31), F.lit(False)
        ),
        problem("InvalidField", "offset_ranges are more than there can be, or the partition is none"),
    ).otherwise(count_problem([*(event(name) for name in _COUNTS), mismatches]))
    checked = events.withColumn("_used", used).withColumn(
        "problem", F.coalesce(F.col("problem"), F.when(F.col("_used"), trouble))
    )
    # Producers choose the timestamps of records.
    latest = F.coalesce(event("max_timestamp_ms"), event("window_start_ms"), F.lit(0))
    latest = F.greatest(F.least(latest, F.lit(LARGEST)), F.lit(-LARGEST))
    batches = F.greatest(F.coalesce(event("batches"), F.lit(1)), F.lit(1))
    row = F.struct(
        F.when(is_sent, F.lit(SPAN)).otherwise(F.lit(TOPIC)).alias("kind"),
        topic.alias("topic"),
        F.when(is_sent, event("partition")).otherwise(NO_PARTITION).cast(IntegerType()).alias("partition"),
        F.when(is_sent, latest - F.pmod(latest, F.lit(span_ms))).otherwise(F.lit(0)).cast(LongType()).alias("time_ms"),
        F.filter(ranges, lambda one: (one["first"] >= 0) & (one["last"] >= one["first"])).alias("ranges"),
        F.ceil(F.greatest(F.coalesce(event("records"), F.lit(0)), F.lit(0)) / batches).cast(LongType()).alias("batch"),
        (F.coalesce(event("transactional_batches"), F.lit(0)) > 0).alias("transactional"),
        F.when(is_found, mismatches).cast(LongType()).alias("changed"),
        event("window_end_ms").alias("last_ms"),
        *(event(name).alias(name) for name in _EVENT_ID),
    )
    ok = F.col("problem").isNull()
    return checked.select(
        F.when(ok & F.col("_used"), row).alias("row"),
        rejected_column().alias("rejected"),
        F.when(ok, F.lit(1)).cast(LongType()).alias("used"),
    )


def _chosen(topic: Column, job_input: JobInput) -> Column:
    """A topic by its name at the source, null if it is not mirrored."""
    chosen = job_input.parameters.topics
    is_one = topic.startswith(chosen.source_prefix) & ~topic.isin(*job_input.own_topics)
    return F.when(is_one & (topic.isin(*chosen.names) if chosen.names else F.lit(True)), topic)


def _at_source(topic: Column, job_input: JobInput) -> Column:
    """What the source calls a topic of the mirror, null if it is none of it."""
    chosen = job_input.parameters.topics
    rest: Callable[[Column], Column] = lambda name: F.substring(name, len(chosen.mirror_prefix) + 1, 1 << 20)  # noqa: E731
    named = F.concat(F.lit(chosen.source_prefix), rest(topic))
    return _chosen(F.when(topic.startswith(chosen.mirror_prefix), named), job_input)
