"""Distributions as maps from the number of a bucket to a count, on the bounds that every writer has."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.records.sketch import SKETCH_BOUNDS


def nearest_bucket(value: int) -> int:
    """The bucket whose upper bound is next to a value, one percent away at most; of two that are as near, the lower."""
    above = min(bisect_left(SKETCH_BOUNDS, value), len(SKETCH_BOUNDS) - 1)
    return min((max(0, above - 1), above), key=lambda bucket: abs(SKETCH_BOUNDS[bucket] - value))


def is_sketch(buckets: Column) -> Column:
    """Whether all keys are numbers of buckets; true where there is no map."""

    def is_bucket(key: Column) -> Column:
        number = key.try_cast("int")
        # What is not written as numbers are is another text when it is written again.
        return F.coalesce(number.between(0, len(SKETCH_BOUNDS) - 1) & (number.cast("string") == key), F.lit(False))

    within = F.forall(F.map_keys(buckets), is_bucket)
    return F.coalesce(within, F.lit(True))


def quantiles(buckets: Column, percents: Sequence[int]) -> Column:
    """The upper bounds of the buckets that hold the values that so many percent of the values are not above.

    Each is 2.1 percent above the value at most. Null where there is no value, or there are more than 64 bits can count.

    Parameters
    ----------
    buckets
        A map from the number of the bucket, an integer, to a count; it is gone through once.
    percents
        From 1 to 100.

    Returns
    -------
    Column
        A struct, with each bound under its percent.
    """
    total = F.aggregate(F.map_values(buckets), F.lit(0).cast("long"), F.try_add)
    names = [str(percent) for percent in percents]
    empty = {name: F.lit(None).cast("int") for name in names}
    begin = F.struct(F.lit(0).cast("long").alias("seen"), total.alias("total"), *_named(empty))

    def passed(so_far: Column, entry: Column) -> Column:
        seen = F.try_add(so_far["seen"], entry["value"])
        found = {
            name: F.coalesce(so_far[name], F.when(seen >= _rank(so_far["total"], percent), entry["key"]))
            for name, percent in zip(names, percents, strict=True)
        }
        return F.struct(seen.alias("seen"), so_far["total"].alias("total"), *_named(found))

    # One literal, since a plan with a thousand of them takes seconds.
    bounds = F.from_json(F.lit(json.dumps(SKETCH_BOUNDS)), "array<bigint>")
    return F.when(
        F.size(buckets) > 0,
        F.aggregate(
            F.sort_array(F.map_entries(buckets)),
            begin,
            passed,
            lambda reached: F.struct(*_named({name: F.get(bounds, reached[name]) for name in names})),
        ),
    )


def counted_to(buckets: Column, bucket: Column) -> Column:
    """How many values are in the buckets up to one, with it; null where there is no map.

    Parameters
    ----------
    buckets
        A map from the number of the bucket, as text or as a number, to a count.
    """
    within = F.map_filter(buckets, lambda key, _: key.cast("int") <= bucket)
    return F.aggregate(F.map_values(within), F.lit(0).cast("long"), F.try_add)


def _rank(total: Column, percent: int) -> Column:
    """How many values are not above the quantile; null where there is none, or it is beyond 64 bits."""
    # Rounded up, in whole numbers: a share in binary fractions can be a rank too high.
    hundredfold = F.try_add(F.try_multiply(total, F.lit(percent).cast("long")), F.lit(99).cast("long"))
    return F.when(total > 0, F.call_function("div", hundredfold, F.lit(100).cast("long")))


def _named(columns: Mapping[str, Column]) -> list[Column]:
    return [column.alias(name) for name, column in columns.items()]
