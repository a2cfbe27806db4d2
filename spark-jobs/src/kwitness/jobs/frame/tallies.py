"""Rows of counts put together by key: sums, greatest values, and maps that add up entry by entry, all in the JVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import IntegerType, LongType, MapType, StringType, StructField, StructType

_ENTRY = StructType(
    [StructField("map", StringType()), StructField("key", StringType()), StructField("count", LongType())]
)
_OF_ROW = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """Which columns make up a row of counts.

    Attributes
    ----------
    keys
        Columns that tell rows apart; null is a value like others.
    sums
        Whole numbers that add up; null where no part has one, or where the sum is beyond 64 bits.
    greatest
        Numbers of which the greatest counts.
    maps
        Maps from text or whole numbers to counts, by name, with whether their keys are whole numbers.
    """

    keys: Sequence[str]
    sums: Sequence[str]
    greatest: Sequence[str]
    maps: Mapping[str, bool]

    def added(self, parts: DataFrame, distinct: Mapping[str, str] | None = None) -> DataFrame:
        """One row for each key.

        Parameters
        ----------
        parts
            Rows with all of the columns.
        distinct
            Columns to make: how many different values another column of the parts has.
        """
        counted = distinct or {}
        entries = [F.array(F.struct(F.lit(_OF_ROW), F.lit(None), F.lit(None)).cast(_ENTRY))]
        entries += [_entries(name) for name in self.maps]
        entries += [
            F.array(F.struct(F.lit(name), F.col(of).cast("string"), F.lit(None)).cast(_ENTRY))
            for name, of in counted.items()
        ]
        none = F.array().cast(f"array<{_ENTRY.simpleString()}>")
        every = F.concat(*(F.coalesce(one, none) for one in entries))
        # An entry of a map is a row of its own first, so that maps add up like everything else.
        single = parts.select(*self.keys, *self.sums, *self.greatest, F.explode(every).alias("_entry"))
        is_row = F.col("_entry.map") == _OF_ROW
        by_entry = single.groupBy(*self.keys, F.col("_entry.map").alias("_map"), F.col("_entry.key").alias("_key")).agg(
            F.try_sum("_entry.count").alias("_count"),
            *(F.try_sum(F.when(is_row, F.col(name))).alias(name) for name in self.sums),
            *(F.max(name).alias(name) for name in self.greatest),
        )
        return by_entry.groupBy(*self.keys).agg(
            *(F.try_sum(name).alias(name) for name in self.sums),
            *(F.max(name).alias(name) for name in self.greatest),
            *(_map(name, is_number=is_number).alias(name) for name, is_number in self.maps.items()),
            *(F.count(F.when((F.col("_map") == name) & F.col("_key").isNotNull(), 1)).alias(name) for name in counted),
        )


def total(counts: Column) -> Column:
    """The sum of a map's counts; null where it is beyond 64 bits, or there is no map."""
    return F.aggregate(F.map_values(counts), F.lit(0).cast(LongType()), F.try_add)


def _entries(name: str) -> Column:
    return F.transform(
        F.map_entries(F.col(name)),
        lambda one: F.struct(F.lit(name), one["key"].cast("string"), one["value"]).cast(_ENTRY),
    )


def _map(name: str, *, is_number: bool) -> Column:
    key = F.col("_key").cast(IntegerType()) if is_number else F.col("_key")
    entry = F.struct(key.alias("key"), F.col("_count").alias("value"))
    entries = F.array_sort(F.collect_list(F.when(F.col("_map") == name, entry)))
    kind = MapType(IntegerType() if is_number else StringType(), LongType())
    return F.map_from_entries(entries).cast(kind)
