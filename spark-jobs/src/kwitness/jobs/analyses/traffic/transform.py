"""From records of observers to facts, from facts to rows of windows, and from those to rows of longer windows."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import SCHEMAS, SEALS, TRAFFIC
from kwitness.jobs.analyses.traffic.schema import EVENTS, FACTS, LONGER_TALLY, TALLY
from kwitness.jobs.frame.facts import SEAL, decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import decoded_events, problem
from kwitness.jobs.frame.moments import DAY_MS
from kwitness.jobs.frame.sketches import is_sketch, quantile
from kwitness.jobs.frame.tallies import total
from kwitness.jobs.frame.windows import base_seconds, window_start

_PARTITION, _API, _PRESENCE = "partition", "api", "presence"
#: Far above what a window can hold, far below what a sum of many can.
_LARGEST = 2**53
_SCHEMAS = {kind: (SCHEMAS[kind],) for kind in (TRAFFIC, SEALS)}
_INVALID = "InvalidField"
_TIMES = {"response_time": "response_time_us", "waited": "waited_us"}


def decode(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Records of the topics traffic and seals with facts, as `kwitness.jobs.frame.facts.decoded_facts` makes them."""
    events = decoded_events(records, _wanted(), _SCHEMAS)
    checked = events.withColumn("problem", F.coalesce("problem", _problem()))
    retention = parse_duration(job_input.parameters.retention)
    return decoded_facts(checked, F.coalesce(_traffic(), _seal()), FACTS, retention)


def windows(facts: DataFrame, job_input: JobInput) -> DataFrame:
    """Facts of some windows, without duplicates, added up to their rows."""
    wanted = F.col("kind") != SEAL
    if topics := job_input.parameters.topics:
        wanted &= F.col("topic").isin(*topics) | (F.col("kind") == _API)
    start = window_start(F.col("window_start_ms"), base_seconds(job_input.window_seconds))
    placed = facts.where(wanted).withColumn("window_start_ms", start)
    return _judged(TALLY.added(placed, {"sources": "event_source"}))


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows added up to those of longer ones."""
    del job_input
    placed = rows.withColumn("window_start_ms", window_start(F.col("window_start_ms"), seconds))
    return _judged(LONGER_TALLY.added(placed))


def _wanted() -> StructType:
    """The fields of events that are read."""
    names = {"schema", "count", *_TIMES, *FACTS.names} - {"sealed_records", *_TIMES.values()}
    return StructType([field for field in EVENTS if field.name in names])


def _judged(rows: DataFrame) -> DataFrame:
    errors = F.map_filter("errors", lambda code, _: code != "0")
    return rows.withColumns(
        {
            "error_count": total(errors),
            **{f"{name}_p{percent}_us": quantile(F.col(name), percent) for name in _TIMES for percent in (50, 99)},
        }
    )


def _traffic() -> Column:
    """The fact of a row of traffic; null for seals."""
    event = F.col("event").getField
    named = {
        "sealed_records": F.lit(None),
        "topic_id": F.when(event("topic").isNull(), event("topic_id")),
        **{name: event(name)["buckets"] for name in _TIMES},
        **{us: event(name)["sum_us"] for name, us in _TIMES.items()},
    }
    columns = ((named[name] if name in named else event(name)).alias(name) for name in FACTS.names)
    return F.when(F.col("event.schema") == SCHEMAS[TRAFFIC], F.struct(*columns))


def _seal() -> Column:
    """The fact of a seal of traffic; null for seals of other topics."""
    event = F.col("event").getField
    kept = ("event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    named = {"kind": F.lit(SEAL), "sealed_records": event("count"), **{name: event(name) for name in kept}}
    columns = (named.get(name, F.lit(None)).cast(FACTS[name].dataType).alias(name) for name in FACTS.names)
    return F.when((F.col("event.schema") == SCHEMAS[SEALS]) & (F.col("event.topic") == TRAFFIC), F.struct(*columns))


def _problem() -> Column:
    """What is wrong with an event whose JSON is as it should be."""
    event = F.col("event").getField
    is_traffic = event("schema") == SCHEMAS[TRAFFIC]
    start, end = event("window_start_ms"), event("window_end_ms")
    in_order = start.between(0, _LARGEST) & (end > start) & (end - start <= DAY_MS)
    numbers = [field.name for field in _wanted() if field.dataType == LongType()]
    counts = [event(name) for name in ("errors", "unread")] + [event(name)["buckets"] for name in _TIMES]
    whole = [event(name) for name in numbers] + [event(name)["sum_us"] for name in _TIMES]
    within = [F.coalesce(one.between(0, _LARGEST), F.lit(True)) for one in whole]
    within += [
        F.coalesce(
            F.forall(F.map_values(one), lambda count: F.coalesce(count.between(0, _LARGEST), F.lit(True))), F.lit(True)
        )
        for one in counts
    ]
    numbered = [is_sketch(event(name)["buckets"]) for name in _TIMES]
    known = event("kind").isin(_PARTITION, _API, _PRESENCE)
    counted = F.when(event("kind") == _PRESENCE, event("partitions")).otherwise(event("requests")).isNotNull()
    return (
        F.when(
            ~F.coalesce(in_order, F.lit(False)), problem(_INVALID, "window_start_ms and window_end_ms are no window")
        )
        .when(~reduce(Column.__and__, within), problem(_INVALID, f"a count is not from 0 to {_LARGEST}"))
        .when(is_traffic & ~F.coalesce(known, F.lit(False)), problem(_INVALID, "field kind is none that is known"))
        .when(
            is_traffic & (event("api").isNull() | ~counted), problem(_INVALID, "api, requests or partitions is absent")
        )
        .when(~reduce(Column.__and__, numbered), problem(_INVALID, "a distribution has what is no bucket"))
        .when(
            ~is_traffic & (event("topic").isNull() | event("count").isNull()),
            problem(_INVALID, "topic or count is absent"),
        )
    )
