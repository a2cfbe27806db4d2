"""From pushes to facts, from facts to rows of windows, and from those to rows of longer windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import LongType, StringType, StructField, StructType

from kwitness.contracts.record_headers import PLAIN_OTLP
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
    POINT,
    PUSH,
    READ,
    SIZES,
    WHO,
)
from kwitness.jobs.frame.bounded_text import bounded
from kwitness.jobs.frame.facts import decoded_facts
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.json_events import problem
from kwitness.jobs.frame.window_events import LARGEST
from kwitness.jobs.frame.windows import base_seconds, window_start

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBERS = (*NUMBERED[1:], "received_at_ms")
_REQUIRED = ("event_source", *_NUMBERS)
_VALUED = ("gauge", "level")
_TOTALS = ("counter_total", "histogram_total")
_SUMMED = ("points", "without_start", "observations", *SIZES)
#: Of these a row has one, by its type.
_AMOUNTS = ("value_sum", "increase", "observed_sum")


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
    # A push is there as one more point, which says how much was pushed.
    itself = F.struct(
        *(F.lit(PUSH if one.name == "shape" else None).cast(one.dataType).alias(one.name) for one in POINT)
    )
    points = facts.where(F.col("kind") == PUSH).select(
        start.alias("window_start_ms"),
        F.col("window_start_ms").alias("at_ms"),
        *WHO,
        "client_instance_id",
        *SIZES[1:],
        F.size("points").alias("points"),
        F.explode(F.concat(F.array(itself), "points")).alias("point"),
    )
    shape = F.col("shape")
    is_push = shape == PUSH
    placed = points.select(*(name for name in points.columns if name != "point"), "point.*").withColumns(
        {
            "kind": F.when(is_push, PUSH).otherwise(METRIC),
            "type": F.when(~is_push, F.regexp_replace(shape, "_total$", "")),
            "bounds": F.when(shape.startswith("histogram"), F.col("bounds")),
            "began_ms": F.when(shape.isin(*_TOTALS), F.col("start_ms")),
            "pushes": F.lit(1),
            "points": F.when(is_push, F.col("points")).otherwise(1),
        }
    )
    return _together(_by_series(placed, is_push), F.size(F.collect_set("client_instance_id")).cast(LongType()))


def longer(rows: DataFrame, seconds: int, job_input: JobInput) -> DataFrame:
    """Rows of windows put together to those of longer ones."""
    del job_input
    placed = rows.withColumns(
        {
            "window_start_ms": window_start(F.col("window_start_ms"), seconds),
            "amount": F.coalesce(*_AMOUNTS),
            "latest": F.when(
                F.col("last_ms").isNotNull(),
                F.struct(F.col("last_ms").alias("at_ms"), F.col("value_last").alias("value")),
            ),
        }
    )
    return _together(placed, F.max("clients"))


def _by_series(points: DataFrame, is_push: Column) -> DataFrame:
    """Points by row, client instance and, of totals, start, as parts of rows."""
    is_value = F.col("shape").isin(*_VALUED)
    # A total only rises, so the least is the first. A histogram's are told by how much was observed.
    said = F.struct(F.when(F.col("type") == "histogram", F.col("observations")).alias("many"), "value", "bucket_counts")
    series = points.groupBy("window_start_ms", *KEYS, "client_instance_id", "shape", "began_ms").agg(
        F.sum("points").alias("points"),
        F.array_sort(F.collect_list("value")).alias("values"),
        F.min(said).alias("first"),
        F.max(said).alias("last"),
        F.max(F.when(is_value, F.struct("at_ms", "value"))).alias("latest"),
        F.try_sum(F.when(F.col("type") == "histogram", F.col("observations"))).alias("observations"),
        _by_bucket(F.collect_list(F.when(F.col("type") == "histogram", F.col("bucket_counts")))).alias("bucket_counts"),
        *(F.try_sum(F.when(is_push, F.col(name))).alias(name) for name in SIZES),
    )
    is_total, has_begun = F.col("began_ms").isNotNull(), F.col("began_ms") >= F.col("window_start_ms")

    def grown(name: str) -> Column:
        last = F.col(f"last.{name}")
        return F.when(has_begun, last).otherwise(last - F.col(f"first.{name}"))

    less = F.zip_with(
        "last.bucket_counts", "first.bucket_counts", lambda last, first: F.greatest(last - first, F.lit(0))
    )
    buckets = F.when(has_begun, F.col("last.bucket_counts")).otherwise(less)
    is_histogram = F.col("type") == "histogram"
    return series.withColumns(
        {
            "amount": F.when(is_total, grown("value")).otherwise(_sum(F.col("values"))),
            "value_min": F.when(is_value, F.get("values", F.lit(0))),
            "value_max": F.when(is_value, F.element_at("values", -1)),
            "without_start": F.when(is_total, F.when(has_begun, 0).otherwise(1)).when(F.col("type") == "counter", 0),
            "observations": F.when(is_total & is_histogram, grown("many")).otherwise(F.col("observations")),
            "bucket_counts": F.when(is_total & is_histogram, buckets).otherwise(F.col("bucket_counts")),
        }
    )


def _together(parts: DataFrame, clients: Column) -> DataFrame:
    """Parts of rows by their keys."""
    rows = parts.groupBy("window_start_ms", *KEYS).agg(
        clients.alias("clients"),
        *(F.try_sum(name).alias(name) for name in _SUMMED),
        _sum(F.array_sort(F.collect_list("amount"))).alias("amount"),
        F.min("value_min").alias("value_min"),
        F.max("value_max").alias("value_max"),
        F.max("latest").alias("latest"),
        _by_bucket(F.collect_list("bucket_counts")).alias("bucket_counts"),
    )
    kind = F.col("type")
    return rows.withColumns(
        {
            "value_sum": F.when(kind.isin(*_VALUED), F.col("amount")),
            "increase": F.when(kind.isin("counter", "change"), F.col("amount")),
            "observed_sum": F.when(kind == "histogram", F.col("amount")),
            "value_last": F.col("latest.value"),
            "last_ms": F.col("latest.at_ms"),
        }
    ).drop("amount", "latest")


def _sum(ordered: Column) -> Column:
    """The sum of fractions in their order, since rounding depends on it; null where there is none."""
    return F.when(F.size(ordered) > 0, F.aggregate(ordered, F.lit(0.0), lambda sum_, one: sum_ + one))


def _by_bucket(several: Column) -> Column:
    """Lists of one length, number by number; null where there is none."""
    added = F.aggregate(
        several,
        F.transform(F.get(several, F.lit(0)), lambda _: F.lit(0).cast(LongType())),
        lambda sums, counts: F.zip_with(sums, counts, F.try_add),
    )
    return F.when(F.size(several) > 0, added)


def _fact() -> Column:
    """The fact of a push."""
    said = F.col("push").getField
    named = {
        "kind": F.lit(PUSH),
        "event_source": bounded(said("event_source")),
        **{name: said(name).cast(LongType()) for name in NUMBERED[1:]},
        "window_start_ms": said("received_at_ms").cast(LongType()),
        "payload_bytes": F.coalesce(F.octet_length("value"), F.lit(0)),
        **{name: bounded(said(name)) for name in WHO},
        "client_instance_id": bounded(_instance()),
        **{name: said(name) for name in (*SIZES[2:], "points")},
    }
    return F.struct(*(named.get(name, F.lit(None)).alias(name) for name in FACTS.names))


def _instance() -> Column:
    """What tells a client from others: its instance id, and of plain OTLP the record's key (docs/decisions/0115).

    The key is made of the service as well, so two of which each calls its only instance 0 are two, and one that
    names no instance is one.
    """
    said = F.col("push").getField
    key = F.col("key").cast(StringType())
    is_plain = said("event_source").startswith(PLAIN_OTLP) & key.startswith(PLAIN_OTLP)
    return F.when(is_plain, key).otherwise(said("client_instance_id"))


def _problem() -> Column:
    """What is wrong with a push."""
    said = F.col("push").getField
    outcome = said("outcome")
    found = F.when(said("is_damaged") == 1, problem("InvalidHeader", "a header that is read is not UTF-8")).when(
        ~F.coalesce(said("schema") == TELEMETRY_SCHEMA, F.lit(False)),
        problem("UnknownSchema", f"header schema is not {TELEMETRY_SCHEMA}"),
    )
    needed = {name: said(name) for name in _REQUIRED} | {"client_instance_id": _instance()}
    for name, text in needed.items():
        absent = F.coalesce(text, F.lit("")) == ""
        found = found.when(absent, problem("MissingHeader", f"header {name} is absent or empty"))
    for name in _NUMBERS:
        fits = said(name).rlike("^[0-9]{1,16}$") & (said(name).try_cast(LongType()) < LARGEST)
        found = found.when(~fits, problem("InvalidHeader", f"header {name} is no whole number below {LARGEST}"))
    return found.when(
        outcome == MALFORMED, problem("MalformedPayload", "the value is no message of OTLP metrics")
    ).when(outcome == NO_METRICS, problem("MalformedPayload", "the value has no field of OTLP metrics"))
