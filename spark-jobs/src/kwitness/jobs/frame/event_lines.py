"""Decoded lines of events that say several things: a row of each, and then whether the record was of use."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType, LongType, StructType

from kwitness.contracts.record_headers import REPORTED_BY
from kwitness.jobs.frame.json_events import rejected_column
from kwitness.jobs.frame.kafka_record import HEADERS
from kwitness.jobs.frame.rejection import REJECTED


def lines_of(events: DataFrame, rows: Column, row: StructType) -> DataFrame:
    """Lines of `kwitness.jobs.frame.job.decoded_schema`, from events with `problem` and what they say.

    Parameters
    ----------
    events
        As `kwitness.jobs.frame.json_events.decoded_events` makes them.
    rows
        An array of rows that an event without a problem says; it may be empty.
    row
        What such a row holds.
    """
    is_good = F.col("problem").isNull()
    kinds = {"row": row, "rejected": REJECTED, "used": LongType()}

    def line(**filled: Column) -> Column:
        return F.struct(*(filled.get(name, F.lit(None)).cast(kind).alias(name) for name, kind in kinds.items()))

    said = F.transform(F.when(is_good, rows).otherwise(F.array().cast(ArrayType(row))), lambda one: line(row=one))
    # A line of its own for each record, since many say nothing of what is asked.
    last = F.when(is_good, line(used=F.lit(1))).otherwise(line(rejected=rejected_column()))
    return events.select(F.explode(F.concat(said, F.array(last))).alias("line")).select("line.*")


def is_from_observer() -> Column:
    """Whether an observer sent a record, which the collector writes unread with a header; else it is from a broker."""
    return F.exists(F.coalesce("headers", F.array().cast(HEADERS)), lambda one: one["key"] == REPORTED_BY)
