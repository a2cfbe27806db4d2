"""What clients sent and fetched, divided by the values that a header of their records had in the same hour."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.cost_attribution.division import divided, sorted_parts, whole_sum
from kwitness.jobs.analyses.cost_attribution.schema import ATTRIBUTED, CLIENT, UNTAGGED, WHOLE
from kwitness.jobs.frame.windows import window_start

_HOUR_SECONDS = 3600
_PRODUCE, _FETCHES = "Produce", ("Fetch", "ShareFetch")
_COUNT = "struct<value: string, count: bigint>"


def tagged(lines: DataFrame, headers: DataFrame | None, header: str, wholes: Sequence[str]) -> DataFrame:
    """Lines with `header_value` and `attribution`.

    What was sent is divided as the headers that producers sent, what was fetched as those that consumers received.
    Records without the header, and lines of whose records nobody looked at a header, are `untagged`.

    Parameters
    ----------
    lines
        `month`, `owned_at_ms`, `hour`, `api`, `topic`, the client's columns, and `wholes`.
    headers
        Windows of a table of HeaderDrift that hold each record once; None where there is no table.
    header
        Key of the header.
    """
    side = F.when(F.col("api") == _PRODUCE, "producer").when(F.col("api").isin(*_FETCHES), "consumer")
    key = ("month", "owned_at_ms", "hour", "side", "topic", *CLIENT)
    whole = lines.withColumn("side", side).groupBy(*key).agg(*(F.sum(name).cast(WHOLE).alias(name) for name in wholes))
    if headers is None:
        told = {"header_value": F.lit(None).cast("string"), "attribution": F.lit(UNTAGGED)}
        return whole.withColumns(told)
    by_value = divided(_fitting(whole, _values(headers, header)), wholes, "count")
    value = F.col("part.header_value")
    attribution = F.when(value.isNull(), UNTAGGED).otherwise(ATTRIBUTED)
    return by_value.withColumns({"header_value": value, "attribution": attribution}).drop("part")


def _values(headers: DataFrame, header: str) -> DataFrame:
    """How many records had each value of the header, and how many had none (null), by hour, topic and client."""
    key = ("hour", "side", "topic", *CLIENT)
    hour = window_start(F.col("window_start_ms"), _HOUR_SECONDS)
    rows = headers.where((F.col("kind") == "topic") | ((F.col("kind") == "key") & (F.col("key") == header)))
    looked_at = F.array(F.struct(F.lit(None).alias("value"), F.col("records_looked_at").alias("count")).cast(_COUNT))
    had = F.transform(
        F.map_entries("values"),
        lambda one: F.struct(one["key"].alias("value"), one["value"].alias("count")).cast(_COUNT),
    )
    counted = (
        rows.withColumns({"hour": hour, "topic": F.coalesce("topic", "topic_id")})
        .select(*key, F.explode(F.when(F.col("kind") == "topic", looked_at).otherwise(had)).alias("one"))
        .groupBy(*key, F.col("one.value").alias("value"))
        .agg(whole_sum("one.count").alias("count"))
        .groupBy(*key)
        .agg(F.collect_list(F.struct("value", "count")).alias("all"))
    )
    known = F.filter("all", lambda one: one["value"].isNotNull())
    # A record may have the header twice.
    rest = F.greatest(F.lit(0).cast(WHOLE), _sum(F.filter("all", lambda one: one["value"].isNull())) - _sum(known))
    without = F.struct(F.lit(None).cast("string").alias("value"), rest.cast(WHOLE).alias("count"))
    return (
        counted.select(*key, F.explode(F.concat(known, F.array(without))).alias("one"))
        .select(*key, F.col("one.value").alias("header_value"), F.col("one.count").alias("count"))
        .where("count > 0")
    )


def _sum(counts: Column) -> Column:
    nothing = F.lit(0).cast(WHOLE)
    return F.aggregate(counts, nothing, lambda so_far, one: (so_far + one["count"]).cast(WHOLE))


def _fitting(lines: DataFrame, values: DataFrame) -> DataFrame:
    """Lines with `parts`, the values of headers that fit them; null where none does.

    An interceptor may not know what an observer knows of the same client, such as its principal.
    """
    known = [name for name in CLIENT if name != "client_id"]
    same = [F.col(f"line.{name}") == F.col(f"seen.{name}") for name in ("hour", "side", "topic")]
    same.append(F.col("line.client_id").eqNullSafe(F.col("seen.client_id")))
    same += [F.col(f"seen.{name}").isNull() | (F.col(f"seen.{name}") == F.col(f"line.{name}")) for name in known]
    found = lines.alias("line").join(values.alias("seen"), reduce(Column.__and__, same), "left")
    parts = sorted_parts(("header_value",), "count")
    return (
        found.select("line.*", "seen.header_value", "seen.count")
        .groupBy(*lines.columns, "header_value")
        .agg(F.sum("count").cast(WHOLE).alias("count"))
        .groupBy(*lines.columns)
        .agg(F.when(F.max("count").isNotNull(), parts).alias("parts"))
    )
