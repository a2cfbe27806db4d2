"""Whether a window is complete, decided from the seals of the sources that reported of it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.window import Window

from kwitness.jobs.frame.facts import SEAL, marked

SEALED = "sealed"
GRACE = "grace"
OPEN = "open"


def states(facts: DataFrame, start: Column, length_ms: int, grace_ms: int, latest_ms: int) -> DataFrame:
    """The state of each window that there are facts of.

    A source, in one epoch of its own, has sealed a window when as many of its records are there as its seals within
    the window promise, and it has a seal that reaches the window's end and begins at most the grace after it.

    Parameters
    ----------
    facts
        Of windows after those that matter only the seals are needed.
    start
        The start of the window that a fact belongs to.
    latest_ms
        The latest time in Kafka of all facts that were ever read.

    Returns
    -------
    DataFrame
        `window_start_ms`, `state`, and `repeats`: how many of its facts `kwitness.jobs.frame.facts.unique` leaves out.
    """
    end = F.col("_start") + F.lit(length_ms)
    is_first = ~F.col("_repeats")
    is_seal = is_first & (F.col("kind") == SEAL)
    by_source = (
        marked(facts, start)
        .groupBy("_start", "event_source", "event_epoch")
        .agg(
            F.count(F.when(F.col("_repeats"), 1)).alias("repeats"),
            F.count(F.when(is_first & (F.col("kind") != SEAL), 1)).alias("given"),
            F.sum(F.when(is_seal, F.col("sealed_records").cast("decimal(38,0)"))).alias("promised"),
            F.min(F.when(is_seal, F.col("window_start_ms"))).alias("first_seal"),
            F.max(F.when(is_seal, F.col("window_end_ms"))).alias("last_seal"),
        )
    )
    later = (
        Window.partitionBy("event_source", "event_epoch")
        .orderBy(F.desc("_start"))
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    reaches = (F.col("last_seal") >= end) | (F.min("first_seal").over(later) <= end + F.lit(grace_ms))
    complete = F.col("given") >= F.coalesce(F.col("promised"), F.lit(0))
    by_window = (
        by_source.withColumn("_sealed", F.coalesce(reaches, F.lit(False)) & complete)
        .groupBy(F.col("_start").alias("window_start_ms"))
        .agg(F.bool_and("_sealed").alias("_sealed"), F.sum("repeats").alias("repeats"))
    )
    closed = F.col("window_start_ms") + F.lit(length_ms + grace_ms) < F.lit(latest_ms)
    state = F.when(F.col("_sealed"), SEALED).when(closed, GRACE).otherwise(OPEN)
    return by_window.select("window_start_ms", state.alias("state"), "repeats")
