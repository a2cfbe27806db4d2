"""What the groups of a month cost, in columns of Spark; the arithmetic is that of `prices`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows
from pyspark.sql.types import ArrayType

from kwitness.contracts.rate_card import RateCard
from kwitness.jobs.analyses.cost_attribution.division import sorted_parts
from kwitness.jobs.analyses.cost_attribution.prices import USAGES, price_of, priced
from kwitness.jobs.analyses.cost_attribution.schema import COSTS, WHOLE


class Pricing(NamedTuple):
    """A rate card, and how long months are in milliseconds."""

    card: RateCard | None
    lengths: Mapping[str, int]

    def rows(self, used: DataFrame, groups: Sequence[str]) -> DataFrame:
        """Rows with a cost for each usage, and `unowned_cost`.

        Parameters
        ----------
        used
            `month`, the columns of `groups`, and for each usage how much, and how much of that is nobody's
            (`unowned_...`).
        """
        pairs = [F.array(F.col(name), F.col(f"unowned_{name}")) for name in USAGES]
        listed = used.select("month", *groups, *USAGES, F.array(*pairs).alias("usage"))
        months = listed.groupBy("month").agg(sorted_parts(groups, "usage", *USAGES).alias("parts"))
        # As a lambda, since Spark takes the types of a function's parameters for those of another kind of function.
        costs = F.udf(lambda month, groups: self.costs(month, groups), ArrayType(ArrayType(WHOLE)))  # noqa: PLW0108
        amounts = costs("month", F.transform("parts", lambda part: part["usage"]))
        one = F.explode(F.arrays_zip("parts", "amounts"))
        found = months.withColumn("amounts", amounts).select("month", one.alias("one"))
        names = (*COSTS.values(), "unowned_cost")
        return found.select(
            "month",
            *(F.col(f"one.parts.{name}").alias(name) for name in (*groups, *USAGES)),
            *(F.col("one.amounts")[at].alias(name) for at, name in enumerate(names)),
        )

    def costs(self, month: str, groups: Sequence[Sequence[Sequence[Decimal]]]) -> list[list[Decimal]]:
        """For each group its four costs, and how much of them is of usage without an owner.

        Parameters
        ----------
        groups
            For each, and for each usage of `USAGES`: how much, and how much of that is nobody's.
        """
        by_usage = [
            priced(
                price_of(self.card, usage, self.lengths[month]),
                [(int(one[at][0]), int(one[at][1])) for one in groups],
            )
            for at, usage in enumerate(USAGES)
        ]
        return [
            [*(Decimal(share.cost) for share in shares), Decimal(sum(share.unowned for share in shares))]
            for shares in zip(*by_usage, strict=True)
        ]
