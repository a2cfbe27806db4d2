"""Compares the work of each group of tests with its committed figure; in CI a group that does too much fails."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["ALLOWED_GROWTH", "FIGURES", "GroupCost", "committed", "comparison", "excessive"]

FIGURES: Final = Path(__file__).with_name("group_work.toml")
ALLOWED_GROWTH: Final = 0.25
"""Share of its figure by which a group's work may pass it: two runs of one commit differ by less."""


@dataclass(frozen=True)
class GroupCost:
    """Measured cost of a group or step."""

    name: str
    seconds: float
    """By the clock."""
    cpu_s: float
    """CPU-seconds of everything that it started, builds included."""
    build_s: float = 0.0
    """CPU-seconds of what was built because it was not in the cache."""

    def work(self, reference_s: float) -> float:
        """CPU-seconds without builds, in units of the fixed piece of work, which took `reference_s` in the same run."""
        return (self.cpu_s - self.build_s) / reference_s


def committed(text: str | None = None) -> dict[str, float]:
    """Return the committed work by group.

    Parameters
    ----------
    text
        TOML; that of `FIGURES` when absent.

    Raises
    ------
    ValueError
        A figure is no positive number, or has no reason beside it.
    """
    figures: dict[str, float] = {}
    for name, entry in tomllib.loads(FIGURES.read_text() if text is None else text).items():
        work = entry.get("work") if isinstance(entry, dict) else None
        if isinstance(work, bool) or not isinstance(work, int | float) or work <= 0:
            raise ValueError(f"{FIGURES.name}: work of {name} is {work!r}; write what `make test` prints for the group")
        if not entry.get("reason"):
            raise ValueError(f"{FIGURES.name}: {name} has no reason; write why its tests cost this much")
        figures[name] = float(work)
    return figures


def excessive(costs: Sequence[GroupCost], figures: Mapping[str, float], reference_s: float) -> list[str]:
    """Return a line, with the remedy, for each group whose work passes its figure by more than `ALLOWED_GROWTH`."""
    return [
        f"{cost.name}: work of {cost.work(reference_s):.0f} passes the committed {figure:.0f} by more than "
        f"{ALLOWED_GROWTH:.0%}: make its tests cheaper (`make cost-of-tests` shows which grew), "
        f"or raise the figure in {FIGURES.name} with a reason beside it"
        for cost in costs
        if (figure := figures.get(cost.name)) and cost.work(reference_s) > figure * (1 + ALLOWED_GROWTH)
    ]


def comparison(costs: Sequence[GroupCost], figures: Mapping[str, float], reference_s: float) -> list[str]:
    """Return a table for a person, a line for each group or step in the order of `costs`."""
    lines = [f"{'step':8} {'took':>6} {'CPU-s':>7} {'of builds':>9} {'work':>7} {'committed':>9}"]
    for cost in costs:
        line = f"{cost.name:8} {_clock(cost.seconds):>6} {cost.cpu_s:>7.0f} {cost.build_s:>9.0f}"
        if figure := figures.get(cost.name):
            work = cost.work(reference_s)
            line += f" {work:>7.0f} {figure:>9.0f}   {work / figure - 1:+.0%}"
        lines.append(line)
    return [
        *lines,
        f"work: CPU-seconds, builds left out, in units of a fixed piece of work, {reference_s:.3f} s here",
    ]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
