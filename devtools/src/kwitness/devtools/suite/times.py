"""The time of each group beside the committed figure. Machines differ, so it is said and fails nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["FIGURES", "committed", "comparison"]

FIGURES: Final = Path(__file__).with_name("group_seconds.toml")
"""Seconds by group, as measured when the suite last changed much."""


def committed(text: str | None = None) -> dict[str, float]:
    """The committed seconds by group.

    Parameters
    ----------
    text
        TOML; that of `FIGURES` when absent.

    Raises
    ------
    ValueError
        A figure is no positive number.
    """
    figures = tomllib.loads(FIGURES.read_text() if text is None else text)
    for name, seconds in figures.items():
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
            raise ValueError(f"{FIGURES.name}: {name} is {seconds!r}; write the seconds that the group takes")
    return {name: float(seconds) for name, seconds in figures.items()}


def comparison(taken: Mapping[str, float], figures: Mapping[str, float]) -> list[str]:
    """A table for a person, a line for each group in the order of `taken`."""
    lines = [f"{'group':8} {'took':>6} {'committed':>10}"]
    for name, seconds in taken.items():
        figure = figures.get(name)
        if figure is None:
            lines.append(f"{name:8} {_clock(seconds):>6} {'none':>10}")
            continue
        above = seconds - figure
        verdict = f"   above by {_clock(above)} ({above / figure:.0%})" if round(above) > 0 else ""
        lines.append(f"{name:8} {_clock(seconds):>6} {_clock(figure):>10}{verdict}")
    return lines


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
