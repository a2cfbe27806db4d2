"""Records that sum up windows, and their seals: what is wrong with one, and the fact that it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import StructType

from kwitness.contracts.topics import SCHEMAS, SEALS
from kwitness.jobs.frame.facts import SEAL
from kwitness.jobs.frame.json_events import problem
from kwitness.jobs.frame.moments import DAY_MS
from kwitness.jobs.frame.sketches import is_sketch

#: Far above what a window can hold, far below what a sum of many can.
LARGEST = 2**53
INVALID = "InvalidField"


def window_problem(start: Column, end: Column) -> Column:
    """What is wrong with a window; null where it is one of at most a day."""
    in_order = start.between(0, LARGEST) & (end > start) & (end - start <= DAY_MS)
    wrong = problem(INVALID, "window_start_ms and window_end_ms are no window")
    return F.when(~F.coalesce(in_order, F.lit(False)), wrong)


def count_problem(numbers: Sequence[Column], maps: Sequence[Column] = ()) -> Column:
    """What is wrong with counts, and with the counts in maps; null where each is absent or from 0 to `LARGEST`."""
    # Least and greatest pass over what is absent, and a plan with one condition for each number is slow to compile.
    least = F.least(F.lit(0), *numbers, *(F.array_min(F.map_values(one)) for one in maps))
    greatest = F.greatest(F.lit(0), *numbers, *(F.array_max(F.map_values(one)) for one in maps))
    wrong = problem(INVALID, f"a count is not from 0 to {LARGEST}")
    return F.when((least < 0) | (greatest > LARGEST), wrong)


def sketch_problem(buckets: Sequence[Column]) -> Column:
    """What is wrong with distributions, maps from the number of a bucket as text; null where there is nothing."""
    wrong = problem(INVALID, "a distribution has what is no bucket")
    return F.when(~reduce(Column.__and__, map(is_sketch, buckets)), wrong)


def seal_problem() -> Column:
    """What is wrong with `event`, if it is a seal."""
    absent = F.col("event.topic").isNull() | F.col("event.count").isNull()
    return F.when(_is_seal() & absent, problem(INVALID, "topic or count is absent"))


def seal_fact(schema: StructType, topics: Collection[str]) -> Column:
    """The fact, of `schema`, of an `event` that seals one of the topics; null for other events."""
    event = F.col("event").getField
    kept = ("event_source", "event_epoch", "event_seq", "window_start_ms", "window_end_ms")
    named = {"kind": F.lit(SEAL), "sealed_records": event("count"), **{name: event(name) for name in kept}}
    of_these = F.col("event.topic").isin(*sorted(topics)) if topics else F.lit(False)
    return F.when(_is_seal() & of_these, fact_of(schema, named))


def fact_of(schema: StructType, columns: Mapping[str, Column]) -> Column:
    """A fact with these columns; the others of its schema are null."""
    return F.struct(*(columns.get(one.name, F.lit(None)).cast(one.dataType).alias(one.name) for one in schema))


def _is_seal() -> Column:
    return F.col("event.schema") == SCHEMAS[SEALS]
