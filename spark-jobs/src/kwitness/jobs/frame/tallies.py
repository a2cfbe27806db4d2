"""Rows of counts put together by key: sums, greatest values, and maps that add up entry by entry, all in the JVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import IntegerType, LongType, MapType, StringType

#: Instead of a sum that is beyond 64 bits, while it is made; counts are not negative.
_TOO_LARGE = -1


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
        added = parts.groupBy(*self.keys).agg(
            *(F.try_sum(name).alias(name) for name in self.sums),
            *(F.max(name).alias(name) for name in self.greatest),
            # What is empty adds nothing, and most are.
            *(F.collect_list(F.when(F.size(name) > 0, F.col(name))).alias(name) for name in self.maps),
            *(F.size(F.collect_set(of)).cast(LongType()).alias(name) for name, of in counted.items()),
        )
        return added.withColumns(
            {name: _map(_added(F.col(name)), is_number=is_number) for name, is_number in self.maps.items()}
        )


def total(counts: Column) -> Column:
    """The sum of a map's counts; null where it is beyond 64 bits, or there is no map."""
    return F.aggregate(F.map_values(counts), F.lit(0).cast(LongType()), F.try_add)


def _added(maps: Column) -> Column:
    """The sum of maps, entry by entry; `_TOO_LARGE` where it is beyond 64 bits, null where no map has a number."""

    def both(one: Column, other: Column) -> Column:
        beyond = F.when(one < 0, one).otherwise(F.coalesce(F.try_add(one, other), F.lit(_TOO_LARGE)))
        return F.when(other.isNull(), one).when(one.isNull(), other).otherwise(beyond)

    # From nothing, since a map from JSON may have a key twice; of those the first counts.
    return F.reduce(
        F.slice(maps, 2, F.size(maps)),
        F.map_zip_with(F.get(maps, 0), F.get(maps, 0), lambda _, one, __: one),
        lambda so_far, one: F.map_zip_with(so_far, one, lambda _, old, new: both(old, new)),
    )


def _map(counts: Column, *, is_number: bool) -> Column:
    """The map in the order of its keys."""
    kind = MapType(IntegerType() if is_number else StringType(), LongType())
    entries = F.transform(
        F.map_entries(counts),
        lambda one: F.struct(
            one["key"].cast(kind.keyType).alias("key"), F.when(one["value"] >= 0, one["value"]).alias("value")
        ),
    )
    return F.coalesce(F.map_from_entries(F.sort_array(entries)), F.create_map().cast(kind))
