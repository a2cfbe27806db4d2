"""Cost: what each team costs in a month, and what has no owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kwitness.console.index.database import Row
from kwitness.console.pages.job_examples import COST_JOB
from kwitness.console.pages.lines import Line, literal, sql_line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.table_lines import job_line
from kwitness.console.rows.costs import COST_ORDER, COST_ORDERS, CostView, months_of, teams
from kwitness.console.rows.job_tables import ShownTable, shown_table

__all__ = ["COST"]

_HEIGHT: Final = 100


class Bar(NamedTuple):
    """A month of the picture: heights of its cost and of the part without an owner, of `_HEIGHT` at most."""

    month: Row
    height: float
    unowned: float


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
        "bars": _bars(months),
        "height": _HEIGHT,
        "window": teams(requested.database, view, table.job, [row["month"] for row in months[chosen:]]),
        "example": COST_JOB,
        "lines": _lines(table, shown["month"] if shown else ""),
    }


def _bars(months: Sequence[Row]) -> list[Bar]:
    """Return bars of all months, the oldest first."""
    largest = max((row["cost"] or 0 for row in months), default=0)
    scale = _HEIGHT / float(largest) if largest else 0.0
    return [
        Bar(row, round(float(row["cost"] or 0) * scale, 1), round(float(row["unowned_cost"] or 0) * scale, 1))
        for row in reversed(months)
    ]


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
