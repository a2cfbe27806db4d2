"""Cost: what each team costs in a month, and what has no owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kwitness.console.index.database import Row
from kwitness.console.pages.axes import ticks
from kwitness.console.pages.job_examples import COST_JOB
from kwitness.console.pages.lines import Line, literal, sql_line
from kwitness.console.pages.money import MICRO, money
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.table_lines import job_line
from kwitness.console.rows.costs import COST_ORDER, COST_ORDERS, CostView, months_of, teams
from kwitness.console.rows.job_tables import ShownTable, shown_table

__all__ = ["COST"]

_HEIGHT: Final = 96
_MOST_NAMES: Final = 12
"""Months that have their name below the bar; of more, each second one has."""


class Bar(NamedTuple):
    """A month of the picture: heights of its cost and of the part without an owner, of `_HEIGHT` at most.

    Attributes
    ----------
    left, width
        Shares of 100.
    name
        The month; empty where bars are too many.
    texts
        Of the month, its cost, and the part of it.
    """

    left: float
    width: float
    height: float
    unowned: float
    name: str
    texts: tuple[str, str, str]


class Picture(NamedTuple):
    """Bars, the oldest first, and numbers of the axis by their place from the top."""

    height: int
    bars: Sequence[Bar]
    numbers: Sequence[tuple[float, str]]


def _values(requested: Requested) -> dict[str, Any]:
    view = CostView.read(requested.query, orders=COST_ORDERS)
    table = shown_table(requested.database, "CostAttribution", view.job)
    months = months_of(requested.database, table.job)
    chosen = next((at for at, row in enumerate(months) if row["month"] == view.month), 0)
    shown = months[chosen] if months else None
    return {
        "view": view,
        "default": COST_ORDER,
        "table": table,
        "months": months,
        "month": shown,
        "picture": _picture([*reversed(months)]),
        "window": teams(requested.database, view, table.job, [row["month"] for row in months[chosen:]]),
        "example": COST_JOB,
        "lines": _lines(table, shown["month"] if shown else ""),
    }


def _picture(months: Sequence[Row]) -> Picture:
    """Return the picture of months, the oldest first."""
    costs = [(row["cost"] or 0, row["unowned_cost"] or 0) for row in months]
    units = ticks(max((float(cost) / MICRO for cost, _ in costs), default=0))
    scale = (_HEIGHT - 6) / units[-1] / MICRO
    share = 100 / max(len(months), 1)
    every = 1 if len(months) <= _MOST_NAMES else 2
    return Picture(
        _HEIGHT,
        [
            Bar(
                round((place + 0.15) * share, 2),
                round(0.7 * share, 2),
                round(float(cost) * scale, 1),
                round(float(unowned) * scale, 1),
                month["month"] if (len(months) - 1 - place) % every == 0 else "",
                (month["month"], money(month["cost"]), money(month["unowned_cost"])),
            )
            for place, (month, (cost, unowned)) in enumerate(zip(months, costs, strict=True))
        ],
        [(round(_HEIGHT - unit * MICRO * scale, 1), money(round(unit * MICRO)).removesuffix(".00")) for unit in units],
    )


def _lines(table: ShownTable, month: str) -> Sequence[Line]:
    name, option = table.place("cost")
    of_month = f"month = {literal(month)}"
    return (
        sql_line(
            f"SELECT owner, sum(cost) / 1000000 AS cost, currency FROM {name} WHERE {of_month} GROUP BY ALL "
            "ORDER BY cost DESC",
            option,
            "costs of the month by owner",
        ),
        sql_line(
            f"SELECT month, sum(cost) / 1000000 AS cost, sum(unowned_cost) / 1000000 AS unowned, state FROM {name} "
            "GROUP BY month, state ORDER BY month DESC",
            option,
            "costs of all months",
        ),
        job_line(table, "CostAttribution"),
        Line(
            "PromQL",
            "sort_desc(sum by (owner, currency) (kwitness_cost_month_units))",
            "the latest month by owner; kwitness_cost_day_units is the last day that is over",
        ),
    )


COST: Final = Page("/cost", "cost", "cost.html", ("costs", "resources"), _values, title="Cost")
