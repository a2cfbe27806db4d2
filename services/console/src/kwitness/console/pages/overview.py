"""The numbers and charts at the top of Fleet, of all clients that a reader may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kwitness.console.index.database import Database, Row
from kwitness.console.pages.line_chart import LineChart, line_chart
from kwitness.console.pages.numbers import count, rate
from kwitness.console.rows.last_hour import last_hour
from kwitness.console.rows.resources import resource_counts

__all__ = ["Overview", "ShownChart", "overview"]


class ShownChart(NamedTuple):
    """A chart by its key, with its title, its unit, and names of its lines; `drawn` is None while it has too few."""

    key: str
    title: str
    unit: str
    names: Sequence[str]
    drawn: LineChart | None


class Overview(NamedTuple):
    """Findings and subscriptions, None where there is no Kubernetes, and charts of the last hour."""

    findings: int | None
    subscriptions: int | None
    charts: Sequence[ShownChart]


def overview(database: Database, *, has_resources: bool) -> Overview:
    """Return the overview of what a reader may see."""
    counts = resource_counts(database) if has_resources else {"findings": None, "subscriptions": None}
    return Overview(**counts, charts=_charts(last_hour(database)))


def _charts(rows: Sequence[Row]) -> Sequence[ShownChart]:
    minutes = [row["minute"] for row in rows]

    def chart(key: str, title: str, unit: str, columns: dict[str, str], text: Any) -> ShownChart:
        series = {name: [row[column] for row in rows] for name, column in columns.items()}
        return ShownChart(key, title, unit, [*columns], line_chart(minutes, series, text))

    return (
        chart(
            "clients",
            "Clients in the last hour",
            "",
            {"connections": "connections", "instances that push": "pushing"},
            lambda number: count(None if number is None else round(number)),
        ),
        chart("bytes", "Record bytes in the last hour", "per second", {"written": "written", "read": "read"}, rate),
    )
