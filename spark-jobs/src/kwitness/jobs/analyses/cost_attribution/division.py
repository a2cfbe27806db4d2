"""Whole numbers divided among the rows of another frame, by `apportioned`, in columns of Spark."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

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


def sorted_parts(names: Sequence[str], *others: str, only: Column | None = None) -> Column:
    """The rows of a group as an array for `divided`, in an order by `names` that is always the same: nulls last."""
    order = (
        one
        for name in names
        for one in (
            F.col(name).isNull().cast("int").alias(f"_no_{name}"),
            F.coalesce(name, F.lit("")).alias(f"_by_{name}"),
        )
    )
    row = F.struct(*order, *names, *others)
    return F.array_sort(F.collect_list(row if only is None else F.when(only, row)))


def divided(rows: DataFrame, wholes: Sequence[str], weight: str) -> DataFrame:
    """Divide the columns `wholes` of each row among the entries of its array `parts`: one row for each entry.

    Returns
    -------
    DataFrame
        The row's columns, `wholes` being those of the part, and the entry as `part` instead of `parts`: null where
        there are no parts, and then nothing is divided.
    """
    amounts = _divided(F.array(*wholes), F.transform("parts", lambda part: part[weight]))
    found = rows.withColumn("_amounts", amounts).withColumn("_one", F.explode_outer(F.arrays_zip("parts", "_amounts")))
    kept = (name for name in rows.columns if name not in (*wholes, "parts"))
    shares = (F.coalesce(F.col("_one._amounts")[at], F.col(name)).alias(name) for at, name in enumerate(wholes))
    return found.select(*kept, F.col("_one.parts").alias("part"), *shares)


def _parts(wholes: Sequence[Decimal], weights: Sequence[Decimal] | None) -> list[list[Decimal]] | None:
    """For each weight, its part of each whole."""
    if not weights:
        return None
    numbers = [int(one) for one in weights]
    by_whole = [apportioned(int(whole), numbers) for whole in wholes]
    return [[Decimal(parts[at]) for parts in by_whole] for at in range(len(numbers))]


# As a lambda, since Spark takes the types of a function's parameters for those of another kind of function.
_divided = F.udf(lambda wholes, weights: _parts(wholes, weights), ArrayType(ArrayType(WHOLE)))  # noqa: PLW0108
