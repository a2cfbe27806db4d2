"""Distributions as maps from the number of a bucket to a count, on the bounds that every writer has."""

from __future__ import annotations

import json
from bisect import bisect_left

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.records.sketch import SKETCH_BOUNDS


def nearest_bucket(value: int) -> int:
    """The bucket whose upper bound is next to a value, one percent away at most; of two that are as near, the lower."""
    above = min(bisect_left(SKETCH_BOUNDS, value), len(SKETCH_BOUNDS) - 1)
    return min((max(0, above - 1), above), key=lambda bucket: abs(SKETCH_BOUNDS[bucket] - value))


def is_sketch(buckets: Column) -> Column:
    """Whether all keys are numbers of buckets; true where there is no map."""
    within = F.forall(
        F.map_keys(buckets),
        lambda key: key.rlike("^(0|[1-9][0-9]{0,3})$") & (F.try_to_number(key, F.lit("9999")) < len(SKETCH_BOUNDS)),
    )
    return F.coalesce(within, F.lit(True))


def quantile(buckets: Column, percent: int) -> Column:
    """The upper bound of the bucket that holds the value that so many percent of the values are not above.

    It is two percent above the value at most. Null where there is no value, or there are more than 64 bits can count.

    Parameters
    ----------
    buckets
        A map from the number of the bucket, an integer, to a count.
    percent
        From 1 to 100.
    """
    total = F.aggregate(F.map_values(buckets), F.lit(0).cast("long"), F.try_add)
    # Rounded up, in whole numbers: a share in binary fractions can be a rank too high.
    hundredfold = F.try_add(F.try_multiply(total, F.lit(percent).cast("long")), F.lit(99).cast("long"))
    rank = F.when(total > 0, F.floor(hundredfold.cast("decimal(20,0)") / 100))
    begin = F.struct(F.lit(0).cast("long").alias("seen"), F.lit(None).cast("int").alias("bucket"))

    def passed(so_far: Column, entry: Column) -> Column:
        seen = F.try_add(so_far["seen"], entry["value"])
        bucket = F.when(so_far["bucket"].isNull() & (seen >= rank), entry["key"]).otherwise(so_far["bucket"])
        return F.struct(seen.alias("seen"), bucket.alias("bucket"))

    reached = F.aggregate(F.array_sort(F.map_entries(buckets)), begin, passed)
    # One literal, since a plan with a thousand of them takes seconds.
    bounds = F.from_json(F.lit(json.dumps(SKETCH_BOUNDS)), "array<bigint>")
    return F.get(bounds, reached["bucket"])


def counted_to(buckets: Column, bucket: Column) -> Column:
    """How many values are in the buckets up to one, with it; null where there is no map.

    Parameters
    ----------
    buckets
        A map from the number of the bucket, as text or as a number, to a count.
    """
    within = F.map_filter(buckets, lambda key, _: key.cast("int") <= bucket)
    return F.aggregate(F.map_values(within), F.lit(0).cast("long"), F.try_add)
