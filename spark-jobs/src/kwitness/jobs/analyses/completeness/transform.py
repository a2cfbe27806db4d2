"""From rows of interceptions and traffic to reports on partitions, and from those to the rows of the table.

The axis is offsets and not time: observers' windows are of arrival, interceptors' of the records' own time. What is
handed over by share groups is in no order, and is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StructField, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import INTERCEPTIONS, SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.completeness.rows import updated
from kwitness.jobs.analyses.completeness.schema import (
    ABORTS,
    BATCH_SCHEMA,
    KEYS,
    LOG,
    NO_PARTITION,
    PLACE,
    TABLE_SCHEMA,
    TOLD_REPORT,
)
from kwitness.jobs.frame.job import JobInput, TransformResult, rows_in
from kwitness.jobs.frame.json_events import decoded_events, problem, rejected_column, union_of, written_ms
from kwitness.jobs.frame.moments import epoch_ms, in_milliseconds
from kwitness.jobs.frame.window_events import LARGEST, count_problem
from kwitness.jobs.generated.schemas import PARTITION_TRAFFIC, TOPIC_INTERCEPTIONS

CLIENT = "client:"
"""What `group_id` begins with where only a client id is known."""
KEPT = timedelta(days=90)
"""How long a row stays in the table after its last record."""
_MAX_GROUP = 255
#: Of contracts; what has more is none of ours.
_MAX_RANGES = 8
_MAX_PARTITIONS = 1024
_READ = (
    *("schema", "kind", "event_source", "event_epoch", "event_seq", "cluster_id", "client_id", "client_instance_id"),
    *("group_id", "group_member_id", "client_address", "client_source_port", "instance", "side", "api", "topic"),
    *("window_start_ms", "window_end_ms", "overflowed", "partition", "records", "unconfirmed", "aborted_records"),
    *("transactional_batches", "offset_ranges", "offset_ranges_merged"),
    *("sent", "acknowledged", "failures", "partitions"),
)
_ALL = union_of((PARTITION_TRAFFIC, TOPIC_INTERCEPTIONS))
_EVENT = StructType([_ALL[name] for name in _READ])
_NAMES = {kind: (SCHEMAS[kind],) for kind in (INTERCEPTIONS, TRAFFIC)}
_COUNTS = ("records", "unconfirmed", "aborted_records", "transactional_batches", "sent", "acknowledged")
_WHO = ("event_source", "event_epoch")
_CLIENT = ("client_id", "client_instance_id", "group_member_id", "client_address", "client_source_port", "instance")

_ROW = StructType([*BATCH_SCHEMA.fields[:4], StructField("report", TOLD_REPORT), StructField("aborts", ABORTS)])


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Turn records of the topics interceptions and traffic into rows of `BATCH_SCHEMA`.

    Parameters
    ----------
    records
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind`.
    """
    decoded = _decoded(records, job_input)
    rows = (
        rows_in(decoded)
        .select(F.explode("rows").alias("row"))
        .select("row.*")
        .groupBy(*KEYS)
        .agg(F.collect_list("report").alias("reports"), F.flatten(F.collect_list("aborts")).alias("aborts"))
    )
    return TransformResult(decoded, rows.select(*BATCH_SCHEMA.names))


def combined(table: DataFrame, rows: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table after a batch: of the partitions that `rows`, of `BATCH_SCHEMA`, are about."""
    new = rows.groupBy(*PLACE).agg(F.collect_list(F.struct(*BATCH_SCHEMA.names)).alias("new"))
    return changed(table, new.withColumn("log", F.lit(None).cast(LOG)), job_input)


def changed(table: DataFrame, partitions: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table after what `partitions` say: `PLACE`, `new` and `log`."""
    old = table.groupBy(*PLACE).agg(F.collect_list(F.struct(*TABLE_SCHEMA.names)).alias("old"))
    lines = partitions.join(old, list(PLACE), "left").select("old", "new", "log")
    return lines.mapInArrow(partial(updated, grace_ms=grace_ms_of(job_input)), TABLE_SCHEMA)


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes: `combined` has looked at the row that is there."""
    del table
    return {name: F.col(f"{update}.{name}") for name in TABLE_SCHEMA.names}


def expired(job_input: JobInput, now: datetime) -> Column:
    """Rows that are dropped at the next housekeeping: of what nothing was told of for `KEPT`."""
    del job_input
    return F.greatest("last_ms", "surveyed_ms") < F.lit(epoch_ms(now - KEPT))


def grace_ms_of(job_input: JobInput) -> int:
    """How late something may be, in milliseconds."""
    return in_milliseconds(parse_duration(job_input.parameters.grace))


def _decoded(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Lines of `kwitness.jobs.frame.job.decoded_schema`, one for each record; its row is an array of rows."""
    # Of presence, partitions is a number and no list.
    events = decoded_events(records, _EVENT, _NAMES, lambda field: field("kind") == "presence")
    event = F.col("event").getField
    is_topic = (F.col("kind") == INTERCEPTIONS) & (event("kind") == "topic")
    is_partition = (F.col("kind") == TRAFFIC) & (event("kind") == "partition") & event("api").isin("Produce", "Fetch")
    wanted = job_input.parameters.topics
    chosen = (
        event("topic").isNotNull()
        & _is_of(event("cluster_id"), job_input.cluster_id)
        & (event("topic").isin(*wanted) if wanted else ~event("topic").isin(*job_input.own_topics))
    )
    used = F.col("event").isNotNull() & chosen & (is_topic | is_partition)
    checked = events.withColumn("_used", F.coalesce(used, F.lit(False))).withColumn(
        "problem", F.coalesce(F.col("problem"), F.when(F.col("_used"), _problem(event)))
    )
    ok = F.col("problem").isNull()
    rows = F.when(is_topic, _of_topic(event)).otherwise(_of_partition(event))
    rows = F.filter(rows, lambda row: row.isNotNull())
    return checked.select(
        F.when(ok & F.col("_used"), F.struct(rows.alias("rows"))).alias("row"),
        rejected_column().alias("rejected"),
        F.when(ok, F.lit(1)).cast(LongType()).alias("used"),
    )


def _problem(event: Any) -> Column:
    untimed = event("window_start_ms").isNull() | event("window_end_ms").isNull()
    too_many = (F.size(event("partitions")) > _MAX_PARTITIONS) | (F.size(event("offset_ranges")) > _MAX_RANGES)
    within = F.exists(
        F.coalesce(event("partitions"), F.array().cast(_EVENT["partitions"].dataType)),
        lambda one: (
            (F.size(one["offset_ranges"]) > _MAX_RANGES) | ~F.coalesce(_is_partition(one["partition"]), F.lit(False))
        ),
    )
    wrong = too_many | within | ~F.coalesce(_is_partition(event("partition")), F.lit(True))
    return (
        F.when(untimed, problem("MissingField", "the value lacks window_start_ms or window_end_ms"))
        .when(
            wrong,
            problem("InvalidField", "partitions or offset_ranges are more than there can be, or a number is none"),
        )
        .otherwise(count_problem([event(name) for name in _COUNTS], [event("failures")]))
    )


def _is_of(cluster: Column, cluster_id: str) -> Column:
    """True for records of a cluster; records without one are held to be of it."""
    return F.lit(True) if not cluster_id else F.coalesce(cluster, F.lit(cluster_id)) == cluster_id


def _is_partition(number: Column) -> Column:
    return (number >= 0) & (number < 1 << 31)


def _ranges(offsets: Column) -> Column:
    """Those that there can be."""
    known = F.coalesce(offsets, F.array().cast(_EVENT["offset_ranges"].dataType))
    return F.filter(known, lambda pair: (pair["first"] >= 0) & (pair["last"] >= pair["first"]))


def _of_topic(event: Any) -> Column:
    """Rows of what an interceptor counted of a topic: one for each partition; of a producer, one for the topic."""
    is_producer = event("side") == "producer"
    group = F.when(is_producer, F.lit("")).when(event("side") == "consumer", _group(event))

    def row(one: Column) -> Column:
        report = _report(
            event,
            ranges=_ranges(one["offset_ranges"]),
            count=F.when(is_producer, one["acknowledged"]).otherwise(one["consumed"]),
            exact=F.coalesce(one["offset_ranges_merged"], F.lit(0)) == 0,
        )
        return F.when(
            (F.size(report["ranges"]) > 0) & group.isNotNull(),
            _row(event, "interceptors", partition=one["partition"], group_id=group, report=report),
        )

    failures = F.aggregate(
        F.coalesce(F.map_values(event("failures")), F.array().cast("array<bigint>")),
        F.lit(0).cast(LongType()),
        # Of a few numbers that can be, and so many of them that the sum cannot.
        lambda total, count: F.least(F.try_add(total, F.coalesce(count, F.lit(0))), F.lit(LARGEST)),
    )
    sums = _report(event, sent=event("sent"), acknowledged=event("acknowledged"), given_up=failures)
    whole = F.when(
        is_producer, _row(event, "interceptors", partition=F.lit(NO_PARTITION), group_id=F.lit(""), report=sums)
    )
    partitions = F.coalesce(event("partitions"), F.array().cast(_EVENT["partitions"].dataType))
    return F.concat(F.transform(partitions, row), F.array(whole))


def _of_partition(event: Any) -> Column:
    """The row of what an observer saw of a partition."""
    is_producer = event("api") == "Produce"
    group = F.when(is_producer, F.lit("")).otherwise(_group(event))
    in_transactions = F.coalesce(event("transactional_batches"), F.lit(0))
    ranges = _ranges(event("offset_ranges"))
    report = _report(
        event,
        ranges=ranges,
        count=event("records"),
        exact=F.coalesce(event("offset_ranges_merged"), F.lit(0)) == 0,
        plain=is_producer & (in_transactions == 0),
        markers=F.when(is_producer, in_transactions),
        unconfirmed=F.when(is_producer, event("unconfirmed")),
    )
    aborts = F.when(
        ~is_producer & (event("aborted_records") > 0) & (F.size(ranges) > 0),
        F.array(
            F.struct(
                F.array_min(ranges["first"]).alias("first"),
                F.array_max(ranges["last"]).alias("last"),
                event("aborted_records").alias("records"),
            )
        ),
    ).otherwise(F.array().cast(ABORTS))
    counts = (F.coalesce(event("unconfirmed"), F.lit(0)) > 0) | (in_transactions > 0)
    says = (F.size(ranges) > 0) | (is_producer & counts)
    row = _row(event, "wire", partition=event("partition"), group_id=group, report=report, aborts=aborts)
    return F.array(F.when(F.coalesce(says, F.lit(False)) & group.isNotNull() & event("partition").isNotNull(), row))


def _report(event: Any, **filled: Column) -> Column:
    overflowed = F.coalesce(event("overflowed"), F.lit(False))
    # Rows that sum up several clients are of none of them.
    client = F.xxhash64(*(event(name) for name in (*_WHO, *_CLIENT)))
    several = F.xxhash64(*(event(name) for name in (*_WHO, "event_seq")))
    known = {
        "at_ms": written_ms(),
        "start_ms": event("window_start_ms"),
        # Whoever's clock is ahead: nothing happened after its record was written.
        "end_ms": F.least(event("window_end_ms"), F.when(F.col("timestamp_ms") >= 0, F.col("timestamp_ms"))),
        "teller": F.when(overflowed, several).otherwise(client),
        "seq": event("event_seq"),
        "ranges": F.array(),
        "exact": F.lit(True),
        "plain": F.lit(False),
        **{name: F.greatest(F.coalesce(filled.pop(name, F.lit(0)), F.lit(0)), F.lit(0)) for name in _COUNTED},
        **filled,
    }
    return F.struct(*(known[field.name].cast(field.dataType).alias(field.name) for field in TOLD_REPORT.fields))


_COUNTED = ("count", "markers", "unconfirmed", "sent", "acknowledged", "given_up")


def _row(event: Any, evidence: str, **filled: Column) -> Column:
    values = {"topic": event("topic"), "evidence": F.lit(evidence), "aborts": F.array(), **filled}
    return F.struct(*(values[field.name].cast(field.dataType).alias(field.name) for field in _ROW.fields))


def _group(event: Any) -> Column:
    """The group's name, else that of the client, null where there is neither.

    A connection that fetches need not be the one that told the group. A long name is its beginning and a digest.
    """
    client = F.concat(F.lit(CLIENT), F.when(F.length(event("client_id")) > 0, event("client_id")))
    name = F.coalesce(F.when(F.length(event("group_id")) > 0, event("group_id")), client)
    long = F.concat(F.substring(name, 1, _MAX_GROUP - 17), F.lit("~"), F.substring(F.sha2(name, 256), 1, 16))
    return F.when(F.length(name) > _MAX_GROUP, long).otherwise(name)
