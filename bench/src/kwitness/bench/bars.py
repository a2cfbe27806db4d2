"""Bars: what must be reached, what would be better, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kwitness.bench.paired_measurement import interval

SLACK = 1.2
"""Two processors that others use too: a fifth is noise."""
HEAD = ("| | kwitness | beside | ratio (95 % interval) | bar |", "| --- | --- | --- | --- | --- |")


@dataclass(frozen=True)
class Bar:
    """A bound of a ratio."""

    must: float
    better: float
    is_floor: bool = False

    def judged(self, ratio: float) -> str:
        """Both bounds, and whether they are met."""
        sign = "≥" if self.is_floor else "≤"
        must, better = self._reached(self.must, ratio), self._reached(self.better, ratio)
        verdict = "met" if must >= 1 else "met within the slack of 20 % for noise" if must * SLACK >= 1 else "missed"
        beyond = "met" if better >= 1 else "not met"
        return f"must {sign} {self.must:g}: {verdict}; better {sign} {self.better:g}: {beyond}"

    def _reached(self, bound: float, ratio: float) -> float:
        """The share of the bound that was reached, 1 and more if it is met."""
        if self.is_floor:
            return ratio / bound
        return bound / ratio if ratio > 0 else 1.0


def at_least(must: float, better: float) -> Bar:
    """A ratio that is to be high."""
    return Bar(must, better, is_floor=True)


def at_most(must: float, better: float) -> Bar:
    """A ratio that is to be low."""
    return Bar(must, better)


def row(what: str, ours: str, peer: str, ratios: Sequence[float], bar: Bar | None = None) -> str:
    """One line of a section's table; the ratios are those of the blocks."""
    middle, low, high = interval(ratios)
    result = bar.judged(middle) if bar else ""
    return f"| {what} | {ours} | {peer} | {middle:.3g} ({low:.3g} to {high:.3g}) | {result} |"
