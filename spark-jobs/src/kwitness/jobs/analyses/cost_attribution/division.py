"""Whole numbers divided among the rows of another frame, by `apportioned`, in columns of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType

from kwitness.jobs.analyses.cost_attribution.apportionment import apportioned
from kwitness.jobs.analyses.cost_attribution.schema import WHOLE

#: Holds 64 bits, and leaves room for the sum of many.
_ADDEND = "decimal(28,0)"


def whole_sum(name: str) -> Column:
    """The sum of a column of 64 bits, which need not be one; 0 where nothing is known."""
    return F.coalesce(F.sum(F.col(name).cast(_ADDEND)), F.lit(0)).cast(WHOLE)


def null_safe(left: DataFrame, right: DataFrame, key: Sequence[str]) -> DataFrame:
    """All rows of the left, with what the right has for their key, of which null is a value like others."""
    same = reduce(Column.__and__, (F.col(f"left.{name}").eqNullSafe(F.col(f"right.{name}")) for name in key))
    added = (F.col(f"right.{name}").alias(name) for name in right.columns if name not in key)
    return left.alias("left").join(right.alias("right"), same, "left").select("left.*", *added)


def sorted_parts(names: Sequence[str], *others: str) -> Column:
    """The rows of a group as an array for `divided`, in an order by `names` that is always the same: nulls last."""
    order = (
        one
        for name in names
        for one in (
            F.col(name).isNull().cast("int").alias(f"_no_{name}"),
            F.coalesce(name, F.lit("")).alias(f"_by_{name}"),
        )
    )
    return F.array_sort(F.collect_list(F.struct(*order, *names, *others)))


def divided(rows: DataFrame, wholes: Sequence[str], weight: str) -> DataFrame:
    """Divide the columns `wholes` of each row among the entries of its array `parts`: one row for each entry.

    Returns
    -------
    DataFrame
        The row's columns, `wholes` being those of the part, and the entry as `part` instead of `parts`: null where
        there are no parts, and then nothing is divided.
    """
    weights = F.transform("parts", lambda part: part[weight])
    amounts = F.when(F.col("parts").isNotNull(), _divided(F.array(*wholes), weights))
    several = rows.withColumn("_amounts", amounts)
    found = several.withColumn("_one", F.explode_outer(F.arrays_zip("parts", "_amounts")))
    kept = (name for name in rows.columns if name not in (*wholes, "parts"))
    shares = (F.coalesce(F.col("_one._amounts")[at], F.col(name)).alias(name) for at, name in enumerate(wholes))
    return found.select(*kept, F.col("_one.parts").alias("part"), *shares)


@F.udf(returnType=ArrayType(ArrayType(WHOLE)))
def _divided(wholes: Sequence[Decimal], weights: Sequence[Decimal] | None) -> list[list[Decimal]] | None:
    """For each weight, its part of each whole."""
    if weights is None:
        return None
    numbers = [int(one) for one in weights]
    by_whole = [apportioned(int(whole), numbers) for whole in wholes]
    return [[Decimal(parts[at]) for parts in by_whole] for at in range(len(numbers))]
