"""What clients sent and fetched, divided by the values that a header of their records had in the same hour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.analyses.cost_attribution.division import divided, null_safe, sorted_parts, whole_sum
from kwitness.jobs.analyses.cost_attribution.schema import ATTRIBUTED, CLIENT, UNTAGGED, WHOLE
from kwitness.jobs.frame.windows import window_start

_HOUR_SECONDS = 3600
_PRODUCE, _FETCHES = "Produce", ("Fetch", "ShareFetch")


def tagged(
    lines: DataFrame,
    headers: DataFrame | None,
    header: str,
    wholes: Sequence[str],
    keep: Callable[[DataFrame], DataFrame],
) -> DataFrame:
    """Lines with `header_value` and `attribution`.

    What was sent is divided as the headers that producers sent, what was fetched as those that consumers received.
    Records without the header, and lines of whose records nobody looked at a header, are `untagged`.

    Parameters
    ----------
    lines
        `month`, `hour`, `api`, `topic`, the client's columns, and `wholes`.
    headers
        Windows of a table of HeaderDrift that hold each record once; None where there is no table.
    header
        Key of the header.
    keep
        Has Spark keep a frame that is used more than once.
    """
    side = F.when(F.col("api") == _PRODUCE, "producer").when(F.col("api").isin(*_FETCHES), "consumer")
    key = ("month", "hour", "side", "topic", *CLIENT)
    whole = lines.withColumn("side", side).groupBy(*key).agg(*(F.sum(name).cast(WHOLE).alias(name) for name in wholes))
    if headers is None:
        told = {"header_value": F.lit(None).cast("string"), "attribution": F.lit(UNTAGGED)}
        return whole.withColumns(told)
    whole = keep(whole)
    parts = _fitting(whole.select(*key), _values(headers, header, keep), key)
    by_value = divided(null_safe(whole, parts, key), wholes, "count")
    value = F.col("part.header_value")
    attribution = F.when(value.isNull(), UNTAGGED).otherwise(ATTRIBUTED)
    return by_value.withColumns({"header_value": value, "attribution": attribution}).drop("part")


def _values(headers: DataFrame, header: str, keep: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """How many records had each value of the header, and how many had none (null), by hour, topic and client."""
    key = ("hour", "side", "topic", *CLIENT)
    hour = window_start(F.col("window_start_ms"), _HOUR_SECONDS)
    rows = headers.withColumns({"hour": hour, "topic": F.coalesce("topic", "topic_id")})
    had = (
        rows.where((F.col("kind") == "key") & (F.col("key") == header))
        .select(*key, F.explode("values").alias("header_value", "count"))
        .groupBy(*key, "header_value")
        .agg(whole_sum("count").alias("count"))
    )
    looked_at = (
        rows.where(F.col("kind") == "topic").groupBy(*key).agg(whole_sum("records_looked_at").alias("looked_at"))
    )
    had = keep(had)
    values = had.groupBy(*key).agg(F.sum("count").cast(WHOLE).alias("values"))
    # A record may have the header twice.
    rest = F.greatest(F.lit(0), F.col("looked_at") - F.coalesce("values", F.lit(0))).cast(WHOLE)
    without = null_safe(looked_at, values, key).select(
        *key, F.lit(None).cast("string").alias("header_value"), rest.alias("count")
    )
    return had.unionByName(without).where("count > 0")


def _fitting(lines: DataFrame, values: DataFrame, key: Sequence[str]) -> DataFrame:
    """Lines with `parts`, the values of headers that fit them.

    An interceptor may not know what an observer knows of the same client, such as its principal.
    """
    known = [name for name in CLIENT if name != "client_id"]
    same = [F.col(f"line.{name}") == F.col(f"seen.{name}") for name in ("hour", "side", "topic")]
    same.append(F.col("line.client_id").eqNullSafe(F.col("seen.client_id")))
    same += [F.col(f"seen.{name}").isNull() | (F.col(f"seen.{name}") == F.col(f"line.{name}")) for name in known]
    found = lines.alias("line").join(values.alias("seen"), reduce(Column.__and__, same))
    return (
        found.groupBy(*(F.col(f"line.{name}").alias(name) for name in key), F.col("seen.header_value"))
        .agg(F.sum("seen.count").cast(WHOLE).alias("count"))
        .groupBy(*key)
        .agg(sorted_parts(("header_value",), "count").alias("parts"))
    )
