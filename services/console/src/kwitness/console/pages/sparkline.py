"""Draws the last hour of a number as a line of SVG, with its least, most and last value as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from kwitness.answers.views.elapsed import span
from kwitness.console.pages.numbers import rate
from kwitness.console.rows.trends import Trend

__all__ = ["Sparkline", "lag_line", "sparkline", "written_line"]

_HEIGHT: Final = 20
_FEWEST: Final = 3
"""Values that are a trend."""


class Sparkline(NamedTuple):
    """A path, the size around it, and the words of the same."""

    path: str
    width: int
    height: int
    label: str


def sparkline(values: Sequence[float | None], subject: str, text: Callable[[float], str]) -> Sparkline | None:
    """Return the line of values of which the last one is now; None where they are too few for a trend.

    Parameters
    ----------
    text
        Returns a value with its unit.
    """
    known = [value for value in values if value is not None]
    if len(known) < _FEWEST:
        return None
    most, least = max(known), min(known)
    scale = (_HEIGHT - 2) / most if most > 0 else 0
    heights = (None if value is None else round(_HEIGHT - 1 - scale * value) for value in values)
    path: list[str] = []
    before: int | None = None
    place = 0
    for height, run in groupby(heights):
        length = len([*run])
        if height is not None:
            path.append(f"M{place} {height}h1m-1 0" if before is None else f"l1 {height - before}")
            if length > 1:
                path.append(f"h{length - 1}")
        place += length
        before = height
    label = f"{subject} in the last hour: at least {text(least)}, at most {text(most)}, last {text(known[-1])}"
    return Sparkline("".join(path), len(values), _HEIGHT, label)


def written_line(trend: Trend | None) -> Sparkline | None:
    """Return the line of what was written."""
    return sparkline(trend.written, "Written", rate) if trend else None


def lag_line(trend: Trend | None) -> Sparkline | None:
    """Return the line of the most lag."""
    return sparkline(trend.lag_ms, "Fetch lag", lambda value: span(int(value))) if trend else None
