"""How fast a budget of bad answers goes, over which spans of time, and when that is too fast: whole numbers alone."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from kwitness.jobs.analyses.latency_slo.objectives import WHOLE

_MINUTE_MS, _HOUR_MS = 60_000, 3_600_000


class Pair(NamedTuple):
    """Two spans that both must burn: the long one shows that it matters, the short one that it goes on.

    Attributes
    ----------
    kind
        Of the finding.
    short_ms, long_ms
        How far back they reach.
    used
        The share of the period's budget that the long span uses at the rate at which it is too fast.
    """

    kind: str
    short_ms: int
    long_ms: int
    used: Fraction

    def rate(self, period_ms: int) -> Fraction:
        """The burn rate that is too fast; the period counts in whole minutes, so that the fraction is short."""
        return self.used * (period_ms // _MINUTE_MS) / (self.long_ms // _MINUTE_MS)


FAST = Pair("BurnsFast", 5 * _MINUTE_MS, _HOUR_MS, Fraction(2, 100))
SLOW = Pair("BurnsSlow", 6 * _HOUR_MS, 72 * _HOUR_MS, Fraction(10, 100))
PAIRS = (FAST, SLOW)


def burn_rate(bad: int, answers: int, budget: int) -> Fraction:
    """The share of bad answers by the share that may be: 0 where there are no answers."""
    return Fraction(bad * WHOLE, answers * budget) if answers else Fraction(0)


def remaining(bad: int, answers: int, budget: int) -> Fraction:
    """The share of the budget of a span's answers that is left; below 0 where more than it is used."""
    return 1 - burn_rate(bad, answers, budget)
