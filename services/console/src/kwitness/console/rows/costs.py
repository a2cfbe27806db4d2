"""Selects what teams cost: of a month by owner, and of all months."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kwitness.console.index.database import Database, Row
from kwitness.console.rows.addresses import View, Window

__all__ = ["COST_ORDER", "COST_ORDERS", "MONTHS", "CostView", "months_of", "teams"]

COST_ORDERS: Final = ("owner", "cost", "before", "bytes_in_cost", "bytes_out_cost", "requests_cost", "stored_cost")
COST_ORDER: Final = "-cost"
MONTHS: Final = 24
"""Months whose costs are shown."""
_PARTS: Final = ("bytes_in_cost", "bytes_out_cost", "requests_cost", "stored_cost", "cost")


@dataclass(frozen=True, slots=True)
class CostView(View):
    """The job, the month, and how owners begin."""

    job: str = ""
    month: str = ""
    owner: str = ""


def months_of(database: Database, job: str) -> list[Row]:
    """Return months with their sums, the latest first."""
    return database.rows(
        f"""
        SELECT month, state, currency, sum(cost) AS cost, sum(unowned_cost) AS unowned_cost,
          any_value(grouped_by) AS grouped_by, list_sort(list_distinct(flatten(list(missing_rates)))) AS missing_rates
        FROM costs WHERE job = $job GROUP BY month, state, currency ORDER BY month DESC LIMIT {MONTHS}
        """,
        {"job": job},
    )


def teams(database: Database, view: CostView, job: str, months: Sequence[str]) -> Window:
    """Return one page of owners with what they cost in the first of these months, and in the one before it.

    The owner is NULL in the row of usage without an owner.
    """
    field, direction = view.ordering(COST_ORDER)
    month, before = [*months, "", ""][:2]
    sums = ", ".join(f"sum({name}) FILTER (month = $month) AS {name}" for name in _PARTS)
    rows = database.rows(
        f"""
        SELECT owner, any_value(owner_contact) AS owner_contact, {sums}, sum(cost) FILTER (month = $before) AS before,
          count(*) OVER () AS total
        FROM costs WHERE job = $job AND month IN ($month, $before)
          AND ($owner = '' OR owner = $owner OR ($owner LIKE '%*' AND starts_with(owner, rtrim($owner, '*'))))
        GROUP BY owner ORDER BY {field} {direction} NULLS LAST, owner
        {view.limits}
        """,
        {"job": job, "month": month, "before": before, "owner": view.owner},
    )
    return Window.of_rows(rows, view.page)
