"""From pushes to facts, from facts to rows of windows, and from those to rows of longer windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StructField, StructType

from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.topics import TELEMETRY_SCHEMA
from kwitness.jobs.analyses.telemetry_rollup import decoder
from kwitness.jobs.analyses.telemetry_rollup.schema import (
    FACTS,
    KEYS,
    MALFORMED,
    METRIC,
    NO_METRICS,
    NUMBERED,
    PUSH,
    READ,
    SIZES,
    TABLE_SCHEMA,
    WHO,
)
from kwitness.jobs.frame.facts import decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import problem
from kwitness.jobs.frame.windows import base_seconds, window_start

if TYPE_CHECKING:
    import pyarrow as pa

_LARGEST = 2**53
_LONGEST_LIST = 2**31 - 1
#: Longest text kept of a client, in characters; the end of a longer one is replaced by a digest of the whole.
_LONGEST, _DIGEST = 512, 16
_NUMBERS = (*NUMBERED[1:], "received_at_ms")
_REQUIRED = ("event_source", *_NUMBERS, "client_instance_id")
_VALUED = ("gauge", "level")
_TOTALS = ("counter_total", "histogram_total")
_SUMMED = ("points", "without_start", "observations", *SIZES)
_ADDED = ("value_sum", "increase", "observed_sum")
_OTHERS = ("value_min", "value_max", "value_last", "last_ms", "bucket_counts")
#: Of points of totals, what one series is: its row's keys, and these.
_SERIES = ("window_start_ms", *KEYS, "client_instance_id", "shape", "start_ms")


def decode(records: DataFrame, job_input: JobInput) -> DataFrame:
    """Records of the topic telemetry with facts, as `kwitness.jobs.frame.facts.decoded_facts` makes them."""
    prefixes, most = tuple(job_input.parameters.metrics), job_input.parameters.series_per_push

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return decoder.decode(batches, prefixes, most)

    schema = StructType([*records.schema.fields, StructField("push", READ)])
    pushes = records.mapInArrow(read, schema).withColumn("problem", _problem())
    retention = parse_duration(job_input.parameters.retention)
    return decoded_facts(pushes, _fact(), FACTS, retention).drop("push")


def windows(facts: DataFrame, job_input: JobInput) -> DataFrame:
    """Facts of some windows, without duplicates, put together to their rows."""
    start = window_start(F.col("window_start_ms"), base_seconds(job_input.window_seconds))
    pushes = facts.where(F.col("kind") == PUSH).select(
        start.alias("window_start_ms"),
        F.col("window_start_ms").alias("at_ms"),
        *WHO,
        "client_instance_id",
        *SIZES[1:],
        "points",
    )
    points = pushes.select(
        *(name for name in pushes.columns if name != "points"), F.explode("points").alias("point")
    ).select("*", "point.*")
    named = points.drop("point").withColumns(
        {
            "kind": F.lit(METRIC),
            "type": F.regexp_replace("shape", "_total$", ""),
            "bounds": F.when(F.col("shape").startswith("histogram"), F.col("bounds")),
        }
    )
    is_total = F.col("shape").isin(*_TOTALS)
    parts = (_plain(named.where(~is_total)), _grown(named.where(is_total)), _pushed(pushes))
    return _together(reduce(DataFrame.unionByName, parts), F.size(F.collect_set("client_instance_id")).cast(LongType()))


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows put together to those of longer ones."""
    del job_input
    placed = rows.withColumn("window_start_ms", window_start(F.col("window_start_ms"), seconds))
    return _together(placed, F.max("clients"))


def _together(parts: DataFrame, clients: Column) -> DataFrame:
    """Parts of rows, with all of their columns, by their keys."""
    latest = F.max(F.when(F.col("last_ms").isNotNull(), F.struct("last_ms", "value_last")))
    return (
        parts.groupBy("window_start_ms", *KEYS)
        .agg(
            clients.alias("clients"),
            *(F.try_sum(name).alias(name) for name in _SUMMED),
            *(_sum(name).alias(name) for name in _ADDED),
            F.min("value_min").alias("value_min"),
            F.max("value_max").alias("value_max"),
            latest.alias("_latest"),
            _by_bucket(F.collect_list("bucket_counts")).alias("bucket_counts"),
        )
        .withColumns({name: F.col("_latest")[name] for name in ("last_ms", "value_last")})
        .drop("_latest")
    )


def _sum(name: str) -> Column:
    """The sum of a column of fractions, whatever order they come in: rounding depends on it."""
    held = F.array_sort(F.collect_list(name))
    return F.when(F.size(held) > 0, F.aggregate(held, F.lit(0.0), lambda sum_, one: sum_ + one))


def _by_bucket(several: Column) -> Column:
    """Lists of one length, number by number; null where there is none."""
    added = F.aggregate(
        F.slice(several, 2, _LONGEST_LIST),
        F.element_at(several, 1),
        lambda sums, counts: F.zip_with(sums, counts, F.try_add),
    )
    return F.when(F.size(several) > 0, added)


def _plain(points: DataFrame) -> DataFrame:
    """Points that say what was, or what came to it, as parts of rows."""
    is_value, is_histogram = F.col("type").isin(*_VALUED), F.col("type") == "histogram"
    value = F.when(is_value, F.col("value"))
    return _part(
        points,
        points=F.lit(1),
        value_sum=value,
        value_min=value,
        value_max=value,
        value_last=value,
        last_ms=F.when(is_value, F.col("at_ms")),
        increase=F.when(F.col("type").isin("counter", "change"), F.col("value")),
        without_start=F.when(F.col("type") == "counter", F.lit(0)),
        observations=F.when(is_histogram, F.col("observations")),
        observed_sum=F.when(is_histogram, F.col("value")),
        bucket_counts=F.when(is_histogram, F.col("bucket_counts")),
    )


def _grown(points: DataFrame) -> DataFrame:
    """Totals, which say how much there was since a start, as parts of rows that say what came to it in the window."""
    # A total only rises, so the least is the first. What is compared is its number first, so that it is one of them.
    number = F.when(F.col("type") == "histogram", F.col("observations")).otherwise(F.lit(0))
    said = F.struct(number.alias("observations"), "value", "bucket_counts")
    by_start = points.groupBy(*_SERIES).agg(
        F.count(F.lit(1)).alias("count"), F.min(said).alias("first"), F.max(said).alias("last")
    )
    began = F.col("start_ms") >= F.col("window_start_ms")
    is_histogram = F.col("type") == "histogram"

    def grown(name: str) -> Column:
        last = F.col(f"last.{name}")
        return F.when(began, last).otherwise(last - F.col(f"first.{name}"))

    buckets = F.when(began, F.col("last.bucket_counts")).otherwise(
        F.zip_with("last.bucket_counts", "first.bucket_counts", lambda last, first: F.greatest(last - first, F.lit(0)))
    )
    return _part(
        by_start,
        points=F.col("count"),
        increase=F.when(~is_histogram, grown("value")),
        without_start=F.when(began, F.lit(0)).otherwise(F.lit(1)),
        observations=F.when(is_histogram, grown("observations")),
        observed_sum=F.when(is_histogram, grown("value")),
        bucket_counts=F.when(is_histogram, buckets),
    )


def _pushed(pushes: DataFrame) -> DataFrame:
    """Pushes as parts of rows that say how much was pushed."""
    sizes = {name: F.col(name) for name in SIZES[1:]}
    return _part(pushes.withColumn("kind", F.lit(PUSH)), pushes=F.lit(1), points=F.size("points"), **sizes)


def _part(rows: DataFrame, **values: Column) -> DataFrame:
    """Rows with the columns of a part, null where nothing is said."""
    given = {name: F.col(name) for name in rows.columns if name in {"window_start_ms", *KEYS}} | values
    columns = (
        given.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name)
        for field in TABLE_SCHEMA
        if field.name in {"window_start_ms", *KEYS, *_SUMMED, *_ADDED, *_OTHERS}
    )
    return rows.select("client_instance_id", *columns)


def _fact() -> Column:
    """The fact of a push."""
    said = F.col("push").getField
    named = {
        "kind": F.lit(PUSH),
        "event_source": _bounded(said("event_source")),
        **{name: said(name).cast(LongType()) for name in NUMBERED[1:]},
        "window_start_ms": said("received_at_ms").cast(LongType()),
        "payload_bytes": F.coalesce(F.octet_length("value"), F.lit(0)),
        **{name: _bounded(said(name)) for name in (*WHO, "client_instance_id")},
        **{name: said(name) for name in (*SIZES[2:], "points")},
    }
    return F.struct(*(named.get(name, F.lit(None)).alias(name) for name in FACTS.names))


def _bounded(text: Column) -> Column:
    digest = F.substring(F.sha2(text, 256), 1, _DIGEST)
    return F.when(
        F.length(text) > _LONGEST, F.concat(F.substring(text, 1, _LONGEST - _DIGEST - 1), F.lit("~"), digest)
    ).otherwise(text)


def _problem() -> Column:
    """What is wrong with a push."""
    said = F.col("push").getField
    outcome = said("outcome")
    found = F.when(said("is_damaged") == 1, problem("InvalidHeader", "a header that is read is not UTF-8")).when(
        ~F.coalesce(said("schema") == TELEMETRY_SCHEMA, F.lit(False)),
        problem("UnknownSchema", f"header schema is not {TELEMETRY_SCHEMA}"),
    )
    for name in _REQUIRED:
        absent = F.coalesce(said(name), F.lit("")) == ""
        found = found.when(absent, problem("MissingHeader", f"header {name} is absent or empty"))
    for name in _NUMBERS:
        fits = said(name).rlike("^[0-9]{1,16}$") & (said(name).try_cast(LongType()) < _LARGEST)
        found = found.when(~fits, problem("InvalidHeader", f"header {name} is no whole number below {_LARGEST}"))
    return found.when(
        outcome == MALFORMED, problem("MalformedPayload", "the value is no message of OTLP metrics")
    ).when(outcome == NO_METRICS, problem("MalformedPayload", "the value has no field of OTLP metrics"))
