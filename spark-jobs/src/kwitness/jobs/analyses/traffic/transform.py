"""From records of observers to facts, from facts to rows of windows, and from those to rows of longer windows."""

from __future__ import annotations

from typing import get_args

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StructType

from kwitness.contracts.resources.analytics_parameters import TrafficClientColumn
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import SCHEMAS, SEALS, TRAFFIC
from kwitness.jobs.analyses.traffic.schema import EVENTS, FACTS, LONGER_TALLY, TALLY
from kwitness.jobs.frame.facts import SEAL, decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import decoded_events, problem
from kwitness.jobs.frame.owners import with_owners
from kwitness.jobs.frame.sketches import quantiles
from kwitness.jobs.frame.window_events import INVALID, count_problem, seal_problem, sketch_problem, window_problem
from kwitness.jobs.frame.windows import base_seconds, window_start

_PARTITION, _API, _PRESENCE = "partition", "api", "presence"
_SCHEMAS = {kind: (SCHEMAS[kind],) for kind in (TRAFFIC, SEALS)}
_TIMES = {"response_time": "response_time_us", "waited": "waited_us"}
_PERCENTS = (50, 99)


def decode(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Records of the topics traffic and seals with facts, as `kwitness.jobs.frame.facts.decoded_facts` makes them."""
    events = decoded_events(records, _wanted(), _SCHEMAS)
    checked = events.withColumn("problem", F.coalesce("problem", _problem()))
    retention = parse_duration(job_input.parameters.retention)
    return decoded_facts(checked, _fact(), FACTS, retention)


def windows(facts: DataFrame, job_input: JobInput) -> DataFrame:
    """Facts of some windows, without duplicates, added up to their rows."""
    wanted = F.col("kind") != SEAL
    if topics := job_input.parameters.topics:
        wanted &= F.col("topic").isin(*topics) | (F.col("kind") == _API)
    start = window_start(F.col("window_start_ms"), base_seconds(job_input.window_seconds))
    chosen = job_input.parameters.client_columns
    left_out = {name: F.lit(None).cast("string") for name in get_args(TrafficClientColumn) if name not in chosen}
    placed = facts.where(wanted).withColumns({"window_start_ms": start, **left_out})
    return TALLY.added(placed, {"sources": "event_source"})


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows added up to those of longer ones."""
    del job_input
    placed = rows.withColumn("window_start_ms", window_start(F.col("window_start_ms"), seconds))
    return LONGER_TALLY.added(placed)


def derived(rows: DataFrame, job_input: JobInput) -> DataFrame:
    """Rows with the columns that follow from others: how many errors, how long answers took, and owners."""
    errors = F.aggregate(
        F.map_entries("errors"),
        F.lit(0).cast(LongType()),
        lambda so_far, one: F.when(one["key"] == "0", so_far).otherwise(F.try_add(so_far, one["value"])),
    )
    owned = with_owners(rows, job_input.owners, F.col("window_start_ms"))
    found = owned.withColumns({f"_{name}": quantiles(F.col(name), _PERCENTS) for name in _TIMES})
    return found.withColumns(
        {
            "error_count": errors,
            **{f"{name}_p{percent}_us": F.col(f"_{name}.{percent}") for name in _TIMES for percent in _PERCENTS},
        }
    ).drop(*(f"_{name}" for name in _TIMES))


def _wanted() -> StructType:
    """The fields of events that are read."""
    names = {"schema", "count", *_TIMES, *FACTS.names} - {"sealed_records", *_TIMES.values()}
    return StructType([field for field in EVENTS if field.name in names])


def _fact() -> Column:
    """What an event says: the fact of a row of traffic or of a seal of traffic; null for seals of other topics."""
    event = F.col("event").getField
    is_traffic = event("schema") == SCHEMAS[TRAFFIC]
    is_seal = (event("schema") == SCHEMAS[SEALS]) & (event("topic") == TRAFFIC)
    named = {
        "kind": F.when(is_traffic, event("kind")).otherwise(SEAL),
        "sealed_records": F.when(is_seal, event("count")),
        "topic": F.when(is_traffic, event("topic")),
        "topic_id": F.when(event("topic").isNull(), event("topic_id")),
        **{name: event(name)["buckets"] for name in _TIMES},
        **{us: event(name)["sum_us"] for name, us in _TIMES.items()},
    }
    columns = ((named[name] if name in named else event(name)).alias(name) for name in FACTS.names)
    return F.when(is_traffic | is_seal, F.struct(*columns))


def _problem() -> Column:
    """What is wrong with an event whose JSON is as it should be."""
    event = F.col("event").getField
    is_traffic = event("schema") == SCHEMAS[TRAFFIC]
    numbers = [event(field.name) for field in _wanted() if field.dataType == LongType()]
    sums = [event(name)["sum_us"] for name in _TIMES]
    buckets = [event(name)["buckets"] for name in _TIMES]
    known = F.coalesce(event("kind").isin(_PARTITION, _API, _PRESENCE), F.lit(False))
    counted = F.when(event("kind") == _PRESENCE, event("partitions")).otherwise(event("requests")).isNotNull()
    absent = event("api").isNull() | ~counted
    return F.coalesce(
        window_problem(event("window_start_ms"), event("window_end_ms")),
        count_problem([*numbers, *sums], [event("errors"), event("unread"), *buckets]),
        F.when(is_traffic & ~known, problem(INVALID, "field kind is none that is known")),
        F.when(is_traffic & absent, problem(INVALID, "api, requests or partitions is absent")),
        sketch_problem(buckets),
        seal_problem(),
    )
