"""From records of interceptors to facts, from facts to latencies by topic and consumer, in windows."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import MapType, StringType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import INTERCEPTIONS, SCHEMAS, SEALS
from kwitness.jobs.analyses.end_to_end_latency.schema import EVENTS, FACTS, LONGER_TALLY, TALLY, WHO
from kwitness.jobs.frame.facts import decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import decoded_events, problem
from kwitness.jobs.frame.owners import with_owners
from kwitness.jobs.frame.sketches import quantiles
from kwitness.jobs.frame.tallies import total
from kwitness.jobs.frame.window_events import (
    INVALID,
    count_problem,
    fact_of,
    seal_fact,
    seal_problem,
    sketch_problem,
    window_problem,
)
from kwitness.jobs.frame.windows import base_seconds, window_start

_TOPIC, _CONSUMER = "topic", "consumer"
_KINDS = (_TOPIC, "keys", "client")
_SCHEMAS = {kind: (SCHEMAS[kind],) for kind in (INTERCEPTIONS, SEALS)}
_NEGATIVE = "negative_latency"
_PERCENTS = (50, 90, 99)
_MAX_ATTRIBUTE = 63
"""Characters of an attribute's value: a label of a pod has no more."""


def decode(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Records of the topics interceptions and seals with facts, as `kwitness.jobs.frame.facts` describes them."""
    events = decoded_events(records, EVENTS, _SCHEMAS)
    checked = events.withColumn("problem", F.coalesce("problem", _problem()))
    facts = F.coalesce(_fact(job_input.parameters.attributes), seal_fact(FACTS, (INTERCEPTIONS,)))
    return decoded_facts(checked, facts, FACTS, parse_duration(job_input.parameters.retention))


def windows(facts: DataFrame, job_input: JobInput) -> DataFrame:
    """Facts of some windows, without duplicates, added up to their rows."""
    wanted = (F.col("kind") == _TOPIC) & F.col("consumed").isNotNull()
    if topics := job_input.parameters.topics:
        wanted &= F.col("topic").isin(*topics)
    start = window_start(F.col("window_start_ms"), base_seconds(job_input.window_seconds))
    placed = facts.where(wanted).withColumn("window_start_ms", start)
    return TALLY.added(placed, {"sources": "event_source"})


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows added up to those of longer ones."""
    del job_input
    placed = rows.withColumn("window_start_ms", window_start(F.col("window_start_ms"), seconds))
    return LONGER_TALLY.added(placed)


def derived(rows: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows with percentiles, the share of clock skew, and owners."""
    owned = with_owners(rows, job_input.owners, F.col("window_start_ms"))
    found = owned.withColumn("_latency", quantiles(F.col("latency"), _PERCENTS))
    percentiles = {f"latency_p{percent}_us": F.col("_latency")[str(percent)] for percent in _PERCENTS}
    whole = found.withColumns({"measured": total(F.col("latency")), **percentiles}).drop("_latency")
    negative, measured = F.col("negative").cast("double"), F.col("measured").cast("double")
    return whole.withColumn("clock_skew", F.try_divide(negative, negative + measured))


def _attributes(names: Sequence[str]) -> Column:
    """Those of an event that are named, in this order; null where it has none of them."""
    reported = F.col("event").getField("attributes")
    # Nothing but these is kept: a record may say as many as it likes.
    pairs = [part for name in names for part in (F.lit(name), F.substring(reported[name], 1, _MAX_ATTRIBUTE))]
    found = F.map_filter(F.create_map(*pairs).cast(MapType(StringType(), StringType())), lambda _, text: text != "")
    return F.when(F.size(found) > 0, found)


def _fact(attributes: Sequence[str]) -> Column:
    """The fact of a record of interceptors; of what no consumer measured only that it is there, as its seal says."""
    event = F.col("event").getField
    latency = event("end_to_end_latency")
    # Records are counted by another interceptor than that which measures, and either may be alone.
    counts = {
        "consumed": F.coalesce(event("consumed"), F.lit(0)),
        "negative": F.coalesce(event("anomalies")[_NEGATIVE], F.lit(0)),
        "latency_us": latency["sum_us"],
    }
    some = counts["consumed"] + counts["negative"] + F.coalesce(total(latency["buckets"]), F.lit(0)) > 0
    read = (event("kind") == _TOPIC) & (event("side") == _CONSUMER) & some
    who = {**{name: event(name) for name in WHO}, "attributes": _attributes(attributes)}
    said = {**who, **counts, "latency": latency["buckets"]}
    kept = ("kind", "event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    columns = {name: event(name) for name in kept} | {name: F.when(read, value) for name, value in said.items()}
    return F.when(event("schema") == SCHEMAS[INTERCEPTIONS], fact_of(FACTS, columns))


def _problem() -> Column:
    """What is wrong with an event whose JSON is as it should be."""
    event = F.col("event").getField
    is_row = event("schema") == SCHEMAS[INTERCEPTIONS]
    latency = event("end_to_end_latency")
    numbers = [event(name) for name in ("event_seq", "event_epoch", "consumed", "count")]
    known = F.coalesce(event("kind").isin(*_KINDS), F.lit(False))
    return F.coalesce(
        window_problem(event("window_start_ms"), event("window_end_ms")),
        count_problem([*numbers, latency["sum_us"]], [event("anomalies"), latency["buckets"]]),
        F.when(is_row & ~known, problem(INVALID, "field kind is none that is known")),
        F.when(is_row & event("side").isNull(), problem(INVALID, "side is absent")),
        sketch_problem([latency["buckets"]]),
        seal_problem(),
    )
