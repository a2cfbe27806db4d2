"""For how long a sample of stored bytes counts: from the one before it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from kwitness.jobs.frame.windows import Span


class Measured(NamedTuple):
    """What samples say of one month.

    Attributes
    ----------
    weights
        By the time of a sample: for how many milliseconds of the month what it says holds.
    gap_ms
        Milliseconds of the month between two samples that are too far apart, for which nothing holds.
    """

    weights: dict[int, int]
    gap_ms: int

    @property
    def known_ms(self) -> int:
        """Milliseconds of the month for which stored bytes are known."""
        return sum(self.weights.values())


def measured(sampled: Iterable[int], month: Span, longest_gap_ms: int) -> Measured:
    """How samples count in a month. What came before the first of them is not known, and nothing after the last.

    Parameters
    ----------
    sampled
        Times of all samples that count in it: those of the month, the last one before and the first one after.
    """
    weights: dict[int, int] = {}
    gap_ms = 0
    for before, at in pairwise(sorted(set(sampled))):
        inside = min(at, month.end) - max(before, month.start)
        if inside <= 0:
            continue
        if at - before > longest_gap_ms:
            gap_ms += inside
        else:
            weights[at] = inside
    return Measured(weights, gap_ms)
