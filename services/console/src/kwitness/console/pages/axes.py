"""Chooses where an axis has numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

__all__ = ["ticks"]

_MOST_TICKS: Final = 4
_STEPS: Final = (1, 2, 5, 10)
"""Distances of ticks, of each power of ten."""


def ticks(most: float) -> Sequence[float]:
    """Return round numbers at the same distance, two at least, from zero to the first not less than ``most``."""
    least = max(most / _MOST_TICKS, 1)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(step * power for step in _STEPS if step * power >= least)
    return [number * step for number in range(max(1, math.ceil(most / step)) + 1)]
