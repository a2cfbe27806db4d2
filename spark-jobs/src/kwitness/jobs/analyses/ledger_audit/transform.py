"""From records of all topics to the numbers that they have, and from those to the account of each source.

Who numbers what, as their programs do it:

- An observer and the interceptors of a process number what they report from 1, in one sequence over all topics: rows
  of a topic and window one after the other, their seal, and totals, which go to Prometheus and so are in no topic.
  Which numbers totals have, nothing in the topics says.
- A broker's plugin numbers pushes from 1, in the topic telemetry alone. It does not seal: what it dropped, its
  heartbeat tells the collector. Heartbeats have numbers of their own from 1 under the same source and epoch, and the
  collector writes some of them, as snapshots in the topic connections: those are nobody's gap, and are left out.
- A collector numbers what it takes by plain OTLP (`otlp/<replica>`). An export that it refused comes again under other
  numbers, so a number that is missing is none that was lost.

The collector writes source, epoch and number as headers too, and what it writes there it knows: the value is what the
source says. Values are read of seals alone, and of records that have no such headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, MapType, StringType, StructField, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import CONNECTIONS, SCHEMAS, SEALS, TELEMETRY
from kwitness.jobs.analyses.ledger_audit.numbers import INTERCEPTORS, OBSERVER, OTLP, PLUGIN
from kwitness.jobs.analyses.ledger_audit.rows import added_up
from kwitness.jobs.analyses.ledger_audit.schema import BATCH_SCHEMA, KEYS, NUMBER_SCHEMA, SEAL, TABLE_SCHEMA
from kwitness.jobs.frame.job import JobInput, TransformResult, rows_in
from kwitness.jobs.frame.json_events import decoded_events, problem, rejected_column, written_ms
from kwitness.jobs.frame.moments import epoch_ms, in_milliseconds
from kwitness.jobs.frame.window_events import count_problem

KEPT = timedelta(days=90)
"""How long an epoch stays in the table after its last record."""
_MOST_SOURCE = 400
_READ = StructType(
    [
        StructField("schema", StringType()),
        StructField("event_source", StringType()),
        StructField("event_epoch", LongType()),
        StructField("event_seq", LongType()),
        StructField("cluster_id", StringType()),
        StructField("reported_by", StringType()),
        StructField("kind", StringType()),
        StructField("topic", StringType()),
        StructField("first_seq", LongType()),
        StructField("last_seq", LongType()),
        StructField("count", LongType()),
        StructField("window_end_ms", LongType()),
        StructField("dropped", MapType(StringType(), LongType())),
    ]
)
_NAMES = {kind: (schema,) for kind, schema in SCHEMAS.items() if kind != TELEMETRY}
_SEALED_TOPICS = tuple(kind for kind in SCHEMAS if kind not in (TELEMETRY, SEALS))


def transform(records: DataFrame, job_input: JobInput) -> TransformResult:
    """Turn records into rows of `BATCH_SCHEMA`, one per epoch of a source.

    Parameters
    ----------
    records
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind`, of all topics.
    """
    del job_input  # It says when something is late, not what is there.
    decoded = _decoded(records)
    return TransformResult(decoded, _epochs(rows_in(decoded)))


def combined(table: DataFrame, rows: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table after a batch: of the epochs that `rows`, of `BATCH_SCHEMA`, are about."""
    grace_ms = grace_ms_of(job_input)
    old = table.select(*KEYS, F.struct(*TABLE_SCHEMA.names).alias("old"))
    new = rows.select(*KEYS, F.struct(*BATCH_SCHEMA.names).alias("new"))
    lines = new.join(old, list(KEYS), "left").select("old", "new")
    return lines.mapInArrow(partial(added_up, grace_ms=grace_ms), TABLE_SCHEMA)


def merge(table: str, update: str) -> Mapping[str, Column]:
    """What each column becomes: `combined` has looked at the row that is there."""
    del table
    return {name: F.col(f"{update}.{name}") for name in TABLE_SCHEMA.names}


def expired(job_input: JobInput, now: datetime) -> Column:
    """Rows that are dropped at the next housekeeping: epochs of which nothing came for `KEPT`."""
    del job_input
    return F.col("last_ms") < F.lit(epoch_ms(now - KEPT))


def grace_ms_of(job_input: JobInput) -> int:
    """How late something may be, in milliseconds."""
    return in_milliseconds(parse_duration(job_input.parameters.grace))


def _decoded(records: DataFrame) -> DataFrame:
    """Lines of `kwitness.jobs.frame.job.decoded_schema`, one for each record."""
    texts = {name: _header(name) for name in ("event_source", "cluster_id", "reported_by")}
    numbers = {name: _header(name).try_cast("long") for name in ("event_epoch", "event_seq")}
    headed = records.withColumns({f"_{name}": value for name, value in (texts | numbers).items()})
    # What is not to be read has no value here: parsing nothing costs nothing.
    is_read = (F.col("kind") == SEALS) | (F.col("_event_source").isNull() & (F.col("kind") != TELEMETRY))
    read = decoded_events(
        headed.withColumns({"_value": F.col("value"), "_is_read": is_read, "value": F.when(is_read, F.col("value"))}),
        _READ,
        _NAMES,
    ).withColumn("value", F.col("_value"))
    event = F.col("event").getField
    known = {name: F.coalesce(F.col(f"_{name}"), event(name)) for name in texts | numbers}
    is_snapshot = (F.col("kind") == CONNECTIONS) & F.col("_event_source").isNull() & (event("kind") == "snapshot")
    source = known["event_source"]
    trouble = (
        F.when(F.col("_is_read") & F.col("problem").isNotNull(), F.col("problem"))
        .when(
            source.isNull() | known["event_epoch"].isNull() | known["event_seq"].isNull(),
            problem("MissingHeader", "event_source, event_epoch or event_seq is missing, or is no number"),
        )
        .when(
            (F.length(source) == 0)
            | (F.length(source) > _MOST_SOURCE)
            | (known["event_epoch"] < 0)
            | (known["event_seq"] < 0),
            problem("InvalidHeader", "event_source is empty or too long, or a number is negative"),
        )
        .when(
            (F.col("kind") == SEALS) & ~F.coalesce(_is_seal(event), F.lit(False)),
            problem("InvalidField", "the seal lacks topic, first_seq, last_seq or count, or they cannot be"),
        )
        .when(F.col("kind") == SEALS, count_problem([event("count")], [event("dropped")]))
    )
    seal = F.struct(
        event("topic").alias("topic"),
        event("first_seq").alias("first"),
        event("last_seq").alias("last"),
        event("count").alias("counted"),
        event("window_end_ms").alias("window_end_ms"),
        F.array_sort(F.map_entries(event("dropped"))).alias("dropped"),
    )
    row = F.struct(
        _kind(source).alias("kind"),
        source.alias("event_source"),
        known["event_epoch"].alias("event_epoch"),
        known["event_seq"].alias("event_seq"),
        F.col("kind").alias("topic"),
        written_ms().alias("time_ms"),
        known["cluster_id"].alias("cluster_id"),
        known["reported_by"].alias("reported_by"),
        F.when(F.col("kind") == SEALS, seal).cast(SEAL).alias("seal"),
    )
    usable = F.col("problem").isNull()
    return read.withColumns({"problem": trouble, "_is_snapshot": F.coalesce(is_snapshot, F.lit(False))}).select(
        F.when(usable & ~F.col("_is_snapshot"), row).cast(NUMBER_SCHEMA).alias("row"),
        rejected_column().alias("rejected"),
        F.when(usable, F.lit(1)).cast(LongType()).alias("used"),
    )


def _epochs(numbers: DataFrame) -> DataFrame:
    """Numbers to rows of `BATCH_SCHEMA`."""
    # By epoch at once, so that all that follows stays where it is.
    distinct = (
        numbers.repartition(*KEYS)
        .groupBy(*KEYS, "event_seq")
        .agg(
            F.min("topic").alias("topic"),
            F.count("*").alias("records"),
            F.min("time_ms").alias("since_ms"),
            F.max("time_ms").alias("until_ms"),
            F.max("cluster_id").alias("cluster_id"),
            F.max("reported_by").alias("reported_by"),
            F.max("seal").alias("seal"),
        )
    )
    by_number = Window.partitionBy(*KEYS).orderBy("event_seq")
    begins = (F.lag("event_seq").over(by_number) != F.col("event_seq") - 1) | (
        F.lag("topic").over(by_number) != F.col("topic")
    )
    islands = (
        distinct.withColumn("_begins", F.coalesce(begins, F.lit(True)).cast("long"))
        .withColumn("_island", F.sum("_begins").over(by_number))
        .groupBy(*KEYS, "_island")
        .agg(
            F.min("topic").alias("topic"),
            F.min("event_seq").alias("first"),
            F.max("event_seq").alias("last"),
            F.min("since_ms").alias("since_ms"),
            F.max("until_ms").alias("until_ms"),
            F.sum("records").alias("records"),
            F.max("cluster_id").alias("cluster_id"),
            F.max("reported_by").alias("reported_by"),
            F.collect_list(
                F.when(
                    F.col("seal").isNotNull(),
                    F.struct(F.col("event_seq").alias("seq"), F.col("since_ms").alias("time_ms"), "seal"),
                )
            ).alias("seals"),
        )
    )
    return islands.groupBy(*KEYS).agg(
        F.max("cluster_id").alias("cluster_id"),
        F.max("reported_by").alias("reported_by"),
        F.sum("records").alias("records"),
        F.min("since_ms").alias("first_ms"),
        F.max("until_ms").alias("last_ms"),
        F.collect_list(F.struct("topic", "first", "last", "since_ms")).alias("islands"),
        F.flatten(F.collect_list("seals")).alias("seals"),
    )


def _kind(source: Column) -> Column:
    slashes = F.size(F.split(source, "/"))
    return (
        F.when((F.col("kind") == TELEMETRY) & source.startswith("otlp/"), F.lit(OTLP))
        .when(F.col("kind") == TELEMETRY, F.lit(PLUGIN))
        .when(slashes > 2, F.lit(INTERCEPTORS))  # noqa: PLR2004 - <namespace>/<pod>/<reporter>
        .otherwise(F.lit(OBSERVER))
    )


def _is_seal(event: Callable[[str], Column]) -> Column:
    present = event("topic").isin(*_SEALED_TOPICS)
    for name in ("first_seq", "last_seq", "count"):
        present = present & (event(name) >= 0)
    return present


def _header(name: str) -> Column:
    named = F.filter("headers", lambda one: one["key"] == name)
    return F.make_valid_utf8(F.get(named, 0)["value"].cast("string"))  # Python reads no other text
