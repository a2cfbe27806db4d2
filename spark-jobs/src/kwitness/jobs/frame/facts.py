"""Facts: what each record says, kept once with its place in Kafka, so that windows can be computed from them again."""

from __future__ import annotations

from datetime import date, timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField, StructType
from pyspark.sql.window import Window

from kwitness.jobs.frame.json_events import problem, rejected_column
from kwitness.jobs.frame.moments import DAY_MS, in_milliseconds

#: The kind of facts that are seals, of whatever job.
SEAL = "seal"
#: How far the clock of a source may be ahead of the one that gave its record the time.
MAX_AHEAD = timedelta(hours=1)
_EPOCH = date(1970, 1, 1)
_PLACE = ("kafka_topic", "kafka_partition", "kafka_offset")

KAFKA_COLUMNS = StructType(
    [
        StructField("kafka_topic", StringType(), nullable=False),
        StructField("kafka_partition", IntegerType(), nullable=False),
        StructField("kafka_offset", LongType(), nullable=False),
        StructField("kafka_timestamp_ms", LongType(), nullable=False),
        StructField("day", DateType(), nullable=False, metadata={"comment": "Of window_start_ms, in UTC."}),
    ]
)
"""The first columns of each table of facts; Delta's statistics, which prune by them, are those of a table's first."""

EVENT_COLUMNS = StructType(
    [
        StructField("kind", StringType()),
        StructField("event_source", StringType()),
        StructField("event_epoch", LongType()),
        StructField("event_seq", LongType()),
        StructField("window_start_ms", LongType()),
        StructField("window_end_ms", LongType()),
        StructField("sealed_records", LongType(), metadata={"comment": "Of a seal: records that it promises."}),
    ]
)
"""The first columns that a job's own facts have; `kind` is `SEAL` for seals, whatever the job likes for others."""


def day_of(milliseconds: int) -> date:
    """The day in UTC of a time in milliseconds since the epoch."""
    return _EPOCH + timedelta(days=milliseconds // DAY_MS)


def day_column(milliseconds: Column) -> Column:
    """The same for a column, in whatever time zone the session is."""
    return F.date_from_unix_date(F.floor(milliseconds / F.lit(DAY_MS)).cast("int"))


def decoded_facts(events: DataFrame, fact: Column, schema: StructType, retention: timedelta) -> DataFrame:
    """Records with three more columns, of which the others are null: `row`, `rejected`, and `used`.

    A fact that began longer than the retention before its record's time in Kafka, or more than `MAX_AHEAD` after it,
    is rejected: `TooLate`, `FromTheFuture`.

    Parameters
    ----------
    events
        As `kwitness.jobs.frame.json_events.decoded_events` gives them.
    fact
        What an event says, of `schema`; null where it says nothing to this job.
    """
    timed = F.col("timestamp_ms") >= 0
    start = F.col("fact.window_start_ms")
    too_late = start < F.col("timestamp_ms") - F.lit(in_milliseconds(retention))
    ahead = start > F.col("timestamp_ms") + F.lit(in_milliseconds(MAX_AHEAD))
    found = events.withColumn("fact", F.when(F.col("problem").isNull(), fact.cast(schema)))
    untimely = F.when(timed & too_late, problem("TooLate", f"the window began {retention} or more before the record"))
    untimely = untimely.when(
        timed & ahead, problem("FromTheFuture", f"the window begins more than {MAX_AHEAD} after the record")
    )
    judged = found.withColumn("problem", F.coalesce("problem", untimely))
    good = F.col("problem").isNull()
    return judged.withColumns(
        {
            "row": F.when(good, F.col("fact")),
            "rejected": rejected_column(),
            "used": F.when(good, F.lit(1).cast(LongType())),
        }
    ).drop("fact", "event", "problem")


def unique(facts: DataFrame, window: Column) -> DataFrame:
    """Facts without those that are in Kafka twice: in each window, the first of each source's epoch and number."""
    order = Window.partitionBy(window, "event_source", "event_epoch", "event_seq", F.col("kind") == SEAL).orderBy(
        *_PLACE
    )
    return facts.withColumn("_nth", F.row_number().over(order)).where("_nth = 1").drop("_nth")


def marked(facts: DataFrame, window: Column) -> DataFrame:
    """Facts with two more columns: `_start`, of their window, and `_repeats`, whether `unique` leaves them out."""
    who = F.struct("event_seq", F.col("kind") == SEAL)
    order = Window.partitionBy("_start", "event_source", "event_epoch").orderBy(who, *_PLACE)
    repeats = F.coalesce(F.lag(who).over(order) == who, F.lit(False))
    return facts.withColumn("_start", window).withColumn("_repeats", repeats)
