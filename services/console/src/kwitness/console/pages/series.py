"""Series of a client or topic from Prometheus, as charts with their numbers as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from kwitness.console.pages.lines import Line
from kwitness.console.pages.names import link_of
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.series_queries import Chart

__all__ = ["SERIES_PAGES", "Queried", "series_values"]


class _Series(Protocol):
    @property
    def labels(self) -> Any: ...
    @property
    def values(self) -> Sequence[float | None]: ...


class _Answer(Protocol):
    @property
    def series(self) -> Sequence[_Series]: ...
    @property
    def left_out(self) -> int: ...
    @property
    def problem(self) -> str | None: ...


class Shown(NamedTuple):
    """A chart, its answer, names of its series, and its numbers by time."""

    chart: Chart
    answer: _Answer
    names: Sequence[str]
    times: Sequence[int]
    rows: Sequence[Sequence[float | None]]


def _nothing(_: Requested) -> dict[str, Any]:
    return {}


SERIES_PAGES: Final = {
    "client_id": Page("/series/clients", "fleet", "series.html", (), _nothing, is_named=True),
    "topic": Page("/series/topics", "topics", "series.html", (), _nothing, is_named=True),
}
"""Pages by the label whose value is their name; what they show is not in the index."""


class Queried(NamedTuple):
    """A chart, its query, and the answer."""

    chart: Chart
    query: str
    answer: _Answer


def series_values(
    name: tuple[str, str], queried: Sequence[Queried], problem: str, times: Sequence[int]
) -> dict[str, Any]:
    """Return what a page of series shows.

    Parameters
    ----------
    name
        Label and value.
    problem
        Why nothing was queried, and what to do; empty if it was.
    times
        Seconds since 1970 of the points.
    """
    return {
        "label": name[0],
        "name": name[1],
        "back": link_of("clients" if name[0] == "client_id" else "topics", name[1]),
        "series_problem": problem,
        "shown_charts": [_shown(item, times) for item in queried],
        "lines": [Line("PromQL", item.query, item.chart.title) for item in queried],
    }


def _shown(queried: Queried, times: Sequence[int]) -> Shown:
    series = queried.answer.series
    names = [", ".join(map(str, line.labels.values())) or queried.chart.title for line in series]
    rows = [[line.values[place] for line in series] for place in range(len(times))] if series else []
    return Shown(queried.chart, queried.answer, names, times, rows)
