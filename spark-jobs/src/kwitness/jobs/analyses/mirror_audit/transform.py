"""From what producers sent on both sides to what a mirror lacks. It does not run yet.

Offsets differ between clusters, and batches say their first and last timestamps alone: so records are counted by the
latest timestamp of their row, and two counts may differ by the batches at both ends of a span. What is to come: where
interceptors stamp or checksum both sides it is exact, and MirrorMaker's offset syncs tell the offsets.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType

from kwitness.contracts.topics import SCHEMAS, TRAFFIC
from kwitness.jobs.analyses.mirror_audit.schema import TABLE_SCHEMA
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import decoded_events
from kwitness.jobs.generated.schemas import PARTITION_TRAFFIC

_KEYS = ("topic", "partition", "time_ms")
_EVENT_ID = ("event_source", "event_epoch", "event_seq")


def compared(source: DataFrame, target: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows of the table from records of the topic traffic of both sides.

    Parameters
    ----------
    source, target
        Columns `kwitness.jobs.frame.kafka_record.RECORD_COLUMNS` and `kind`; `target` is of the cluster of the mirror,
        whose topics have `target_prefix` before the names that they have at the source.
    """
    parameters = job_input.parameters
    prefix = parameters.target_prefix
    span_ms = round(job_input.window_seconds * 1000)
    here, there = _sent(source, span_ms), _sent(target, span_ms)
    there = there.where(F.col("topic").startswith(prefix)).withColumn(
        "topic", F.expr(f"substring(topic, {len(prefix) + 1})")
    )
    if parameters.topics:
        here, there = (one.where(F.col("topic").isin(*parameters.topics)) for one in (here, there))
    both = here.withColumnsRenamed({"records": "source_records", "largest": "_here"}).join(
        there.withColumnsRenamed({"records": "target_records", "largest": "_there"}), list(_KEYS), "full_outer"
    )
    difference = F.col("source_records") - F.col("target_records")
    return (
        both.fillna(0)
        .withColumn("tolerance", F.greatest("_here", "_there"))
        .withColumns(
            {
                "missing": F.greatest(difference - F.col("tolerance"), F.lit(0)).cast(LongType()),
                "extra": F.greatest(-difference - F.col("tolerance"), F.lit(0)).cast(LongType()),
                "evidence": F.lit("approximate"),
            }
        )
        .select(*TABLE_SCHEMA.names)
    )


def _sent(records: DataFrame, span_ms: int) -> DataFrame:
    """Records that producers sent, by topic, partition and span, and the size of the largest batch, about."""
    event = F.col("event").getField
    latest = F.coalesce(event("max_timestamp_ms"), event("window_start_ms"))
    return (
        decoded_events(records, PARTITION_TRAFFIC, {TRAFFIC: (SCHEMAS[TRAFFIC],)})
        .where((event("kind") == "partition") & (event("api") == "Produce"))
        .where(event("topic").isNotNull() & event("partition").isNotNull())
        .select(
            event("topic").alias("topic"),
            event("partition").cast("int").alias("partition"),
            (latest - latest % span_ms).alias("time_ms"),
            event("records").alias("records"),
            F.ceil(event("records") / F.greatest(event("batches"), F.lit(1))).alias("batch"),
            *(event(name).alias(name) for name in _EVENT_ID),
        )
        # A row that came twice counts once.
        .dropDuplicates(list(_EVENT_ID))
        .groupBy(*_KEYS)
        .agg(F.sum("records").alias("records"), F.max("batch").alias("largest"))
    )
