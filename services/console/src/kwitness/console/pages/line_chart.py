"""Draws numbers of the last hour as lines of SVG between axes with units, with the numbers of each minute as texts.

A chart is as wide as its place: positions from left to right are shares of 100, so that no text is scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from kwitness.console.index.hour_totals import MINUTES
from kwitness.console.pages.axes import ticks
from kwitness.console.pages.numbers import clock

__all__ = ["HEIGHT", "Line", "LineChart", "Minute", "Number", "Tick", "line_chart"]

HEIGHT: Final = 96
"""Of the plot; numbers of time are below it."""
_TOP: Final = 6
"""Above the highest tick."""
_FEWEST: Final = 3
"""Minutes that are a trend."""
_TICK_MINUTES: Final = 15
_WIDTH: Final = 100


class Tick(NamedTuple):
    """A text of an axis, and its place: of time from the left, as a share of 100; of numbers from the top."""

    place: float
    text: str


class Line(NamedTuple):
    """A line: what it is, its path, and that of the area between it and zero."""

    name: str
    path: str
    area: str


class Number(NamedTuple):
    """A number of a line in a minute: which line, its place from the top, None where it is not known, and its text."""

    line: int
    place: float | None
    text: str
    name: str


class Minute(NamedTuple):
    """A minute of a chart: its place and that of its left edge, from the left as shares of 100, and its numbers."""

    place: float
    left: float
    time: str
    numbers: Sequence[Number]


class LineChart(NamedTuple):
    """A chart with its axes, the words of the same, and its minutes, the oldest first; `step` is the width of one."""

    height: int
    lines: Sequence[Line]
    times: Sequence[Tick]
    numbers: Sequence[Tick]
    label: str
    minutes: Sequence[Minute]
    step: float


def line_chart(
    minutes: Sequence[int],
    series: Mapping[str, Sequence[float | None]],
    text: Callable[[float | None], str],
) -> LineChart | None:
    """Return the chart of numbers by minute; None where they are too few for a trend.

    Parameters
    ----------
    minutes
        Minutes since 1970, the oldest first; the last one is now.
    series
        Numbers of each line, by its name.
    text
        Returns a number with its unit.
    """
    known = [[value for value in values if value is not None] for values in series.values()]
    if not known or max(map(len, known)) < _FEWEST:
        return None
    numbers = ticks(max(value for values in known for value in values))
    newest = minutes[-1]

    def across(minute: float) -> float:
        return round((minute - newest + MINUTES - 1) * _WIDTH / (MINUTES - 1), 2)

    def down(value: float) -> float:
        return round(HEIGHT - (HEIGHT - _TOP) * value / numbers[-1], 1)

    quarters = [minute for minute in range(newest - MINUTES + 1, newest + 1) if minute % _TICK_MINUTES == 0]
    return LineChart(
        HEIGHT,
        [_line(name, minutes, values, across, down) for name, values in series.items()],
        [Tick(across(minute), clock(minute * 60)) for minute in quarters],
        [Tick(down(number), text(number)) for number in numbers],
        "; ".join(
            f"{name}: at least {text(min(values))}, at most {text(max(values))}, last {text(values[-1])}"
            for name, values in zip(series, known, strict=True)
            if values
        ),
        [
            Minute(
                across(minute),
                across(minute - 0.5),
                clock(minute * 60),
                [
                    Number(line, None if value is None else down(value), text(value), name)
                    for line, (name, value) in enumerate(zip(series, values, strict=True), 1)
                ],
            )
            for minute, *values in zip(minutes, *series.values(), strict=True)
        ],
        round(_WIDTH / (MINUTES - 1), 2),
    )


def _line(
    name: str,
    minutes: Sequence[int],
    values: Sequence[float | None],
    across: Callable[[int], float],
    down: Callable[[float], float],
) -> Line:
    """Return a line with a gap for each minute without a number."""
    runs: list[list[tuple[float, float]]] = []
    before: int | None = None
    for minute, value in zip(minutes, values, strict=True):
        if value is None:
            continue
        if before is None or minute != before + 1:
            runs.append([])
        runs[-1].append((across(minute), down(value)))
        before = minute
    paths = [" ".join(f"{x:g} {y:g}" for x, y in run) for run in runs]
    # A run of one minute has no length: its round end makes it a point.
    return Line(
        name,
        "".join(f"M{path}{'h0' if len(run) == 1 else ''}" for path, run in zip(paths, runs, strict=True)),
        "".join(
            f"M{run[0][0]:g} {HEIGHT}L{path}V{HEIGHT}Z" for path, run in zip(paths, runs, strict=True) if len(run) > 1
        ),
    )
