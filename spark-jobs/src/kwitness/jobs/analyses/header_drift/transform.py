"""From records of header keys to facts, from facts to rows of windows, and from those to rows of longer windows."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StructType

from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import HEADERS, SCHEMAS, SEALS
from kwitness.jobs.analyses.header_drift.schema import (
    CLIENT,
    EVENTS,
    FACTS,
    KEY,
    LONGER_TALLY,
    LOOKED_AT,
    MAX_VALUES,
    OVERFLOW,
    SUMS,
    TALLY,
    TOPIC,
)
from kwitness.jobs.frame.facts import SEAL, decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import decoded_events, problem
from kwitness.jobs.frame.window_events import (
    INVALID,
    LARGEST,
    count_problem,
    fact_of,
    seal_fact,
    seal_problem,
    window_problem,
)
from kwitness.jobs.frame.windows import base_seconds, window_start

_SCHEMAS = {kind: (SCHEMAS[kind],) for kind in (HEADERS, SEALS)}
_COUNTS = tuple(field.name for field in LOOKED_AT)
_OF_WINDOW = ("window_start_ms", *CLIENT)


def decode(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Records of the topics headers and seals with facts, as `kwitness.jobs.frame.facts.decoded_facts` makes them."""
    events = decoded_events(records, _wanted(), _SCHEMAS)
    checked = events.withColumn("problem", F.coalesce("problem", _problem()))
    retention = parse_duration(job_input.parameters.retention)
    return decoded_facts(checked, F.coalesce(_headers(), seal_fact(FACTS, (HEADERS,))), FACTS, retention)


def windows(facts: DataFrame, job_input: JobInput) -> DataFrame:
    """Facts of some windows, without duplicates, added up to their rows."""
    start = window_start(F.col("window_start_ms"), base_seconds(job_input.window_seconds))
    told = facts.where(F.col("kind") != SEAL)
    placed = told.withColumn("_start", start)
    # Each key's record repeats how many records of client and topic there were.
    once = placed.groupBy(
        F.col("_start"), "event_source", "event_epoch", "window_start_ms", "whole_identity", *CLIENT
    ).agg(*(F.max(name).alias(name) for name in _COUNTS))
    topics = once.groupBy(F.col("_start").alias("window_start_ms"), *CLIENT).agg(
        *(F.try_sum(name).alias(name) for name in _COUNTS), F.count_distinct("event_source").alias("sources")
    )
    of_keys = placed.where(F.col("kind") != TOPIC).withColumn("window_start_ms", F.col("_start"))
    return _together(topics, _shortened(TALLY.added(of_keys, {"sources": "event_source"})))


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows added up to those of longer ones."""
    del job_input
    placed = rows.withColumn("window_start_ms", window_start(F.col("window_start_ms"), seconds))
    topics = (
        placed.where(F.col("kind") == TOPIC)
        .groupBy(*_OF_WINDOW)
        .agg(*(F.try_sum(name).alias(name) for name in _COUNTS), F.max("sources").alias("sources"))
    )
    return _together(topics, _shortened(LONGER_TALLY.added(placed.where(F.col("kind") != TOPIC))))


def _together(topics: DataFrame, keys: DataFrame) -> DataFrame:
    """Rows of topics and of their keys; those of keys with the counts of their topic's row."""
    told = topics.withColumn("kind", F.lit(TOPIC))
    rows = told.unionByName(keys, allowMissingColumns=True)
    of_topic = Window.partitionBy(*_OF_WINDOW)
    return rows.withColumns({name: F.max(name).over(of_topic) for name in _COUNTS})


def _shortened(rows: DataFrame) -> DataFrame:
    """Rows with the most frequent values alone, of equally frequent ones the first; the rest is left out."""
    entries = F.transform(
        F.map_entries("values"), lambda one: F.struct((-one["value"]).alias("less"), one["key"].alias("key"))
    )
    kept = F.slice(F.array_sort(entries), 1, MAX_VALUES)
    shorter = F.map_from_arrays(kept["key"], F.transform(kept["less"], lambda less: -less))
    is_long = F.size("values") > MAX_VALUES
    total = F.aggregate(F.map_values("values"), F.lit(0).cast(LongType()), F.try_add)
    left = total - F.aggregate(F.map_values(shorter), F.lit(0).cast(LongType()), F.try_add)
    return rows.withColumns(
        {
            "values": F.when(is_long, shorter).otherwise(F.col("values")),
            "values_left_out": F.when(is_long, F.coalesce("values_left_out", F.lit(0)) + left).otherwise(
                F.col("values_left_out")
            ),
        }
    )


def _wanted() -> StructType:
    """The fields of events that are read."""
    own = {"sealed_records", "unregistered", "kind", "whole_identity"}
    names = {"schema", "count", "overflowed", "registered", "instance", *IDENTITY_KEYS, *FACTS.names} - own
    return StructType([field for field in EVENTS if field.name in names])


def _headers() -> Column:
    """The fact of a row of headers; null for seals."""
    event = F.col("event").getField
    kind = (
        F.when(F.coalesce(event("overflowed"), F.lit(False)), F.lit(OVERFLOW))
        .when(event("key").isNotNull(), F.lit(KEY))
        .otherwise(F.lit(TOPIC))
    )
    headers = F.coalesce(event("headers"), F.lit(0))
    is_registered = F.coalesce(event("registered"), F.lit(False))
    pairs = F.transform(
        F.coalesce(event("values"), F.array().cast(EVENTS["values"].dataType)),
        lambda one: F.struct(one["value"].alias("key"), one["records"].alias("value")),
    )
    named = {
        "kind": kind,
        "whole_identity": F.md5(
            F.to_json(F.struct(*(event(name).alias(name) for name in ("instance", *IDENTITY_KEYS))))
        ),
        "sealed_records": F.lit(None),
        "key": F.when(kind == KEY, event("key")),
        "topic_id": F.when(event("topic").isNull(), event("topic_id")),
        "values": F.map_from_entries(_distinct(pairs)),
        **{name: F.coalesce(event(name), F.lit(0)) for name in (*SUMS, *_COUNTS) if name != "unregistered"},
        "unregistered": F.when((kind == KEY) & ~is_registered, headers).otherwise(F.lit(0)),
    }
    columns = {name: named[name] if name in named else event(name) for name in FACTS.names}
    return F.when(F.col("event.schema") == SCHEMAS[HEADERS], fact_of(FACTS, columns))


def _distinct(pairs: Column) -> Column:
    """Pairs with each key once, the first: a map takes no key twice, and a source sends none twice."""
    keys = F.transform(pairs, lambda one: one["key"])
    return F.filter(pairs, lambda one, at: F.array_position(keys, one["key"]) == at + 1)


def _problem() -> Column:
    """What is wrong with an event whose JSON is as it should be."""
    event = F.col("event").getField
    is_headers = event("schema") == SCHEMAS[HEADERS]
    values = F.coalesce(event("values"), F.array().cast(EVENTS["values"].dataType))
    is_counted = F.forall(
        values, lambda one: F.coalesce(one["records"].between(0, LARGEST), F.lit(False)) & one["value"].isNotNull()
    )
    return F.coalesce(
        window_problem(event("window_start_ms"), event("window_end_ms")),
        count_problem([event(field.name) for field in _wanted() if field.dataType == LongType()]),
        F.when(~is_counted, problem(INVALID, f"a value's count is not from 0 to {LARGEST}")),
        F.when(
            is_headers & (event("side").isNull() | event("seen_by").isNull()),
            problem(INVALID, "side or seen_by is absent"),
        ),
        seal_problem(),
    )
