"""What a month's usage costs, in micro-units (1e-6 of the currency): whole numbers all the way. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from kwitness.contracts.rate_card import RateCard
from kwitness.jobs.analyses.cost_attribution.apportionment import apportioned

_GIB = 2**30
_MILLION = 1_000_000
_HOUR_MS = 3_600_000

Usage = Literal["bytes_in", "bytes_out", "requests", "stored_byte_hours"]
USAGES: tuple[Usage, ...] = ("bytes_in", "bytes_out", "requests", "stored_byte_hours")
"""What is measured and priced."""

RATES: dict[Usage, str] = {
    "bytes_in": "bytesInPerGiB",
    "bytes_out": "bytesOutPerGiB",
    "requests": "requestsPerMillion",
    "stored_byte_hours": "storedPerGiBMonth",
}
"""The names that their rates have in the rate card."""


class Price(NamedTuple):
    """Micro-units for so many units of usage."""

    micros: int
    units: int

    def of(self, usage: int) -> int:
        """The price of a usage, to the nearest micro-unit; a half is rounded up."""
        return (2 * self.micros * usage + self.units) // (2 * self.units)


class Share(NamedTuple):
    """What a part of a month's usage costs, and how much of that is of nobody's usage."""

    cost: int
    unowned: int


def price_of(card: RateCard | None, usage: Usage, month_ms: int) -> Price:
    """The price of a kind of usage; of what has no rate it is 0.

    Parameters
    ----------
    month_ms
        How long the month is. A GiB that is stored all of it costs the same in each month.
    """
    known: dict[str, int | None] = {} if card is None else card.model_dump(by_alias=True)
    micros = known.get(RATES[usage]) or 0
    if usage == "stored_byte_hours":
        # In fractions of an hour, since a month need not have whole ones; both sides are divided by as many.
        return Price(micros * _HOUR_MS, _GIB * month_ms)
    return Price(micros, _MILLION if usage == "requests" else _GIB)


def priced(price: Price, parts: Sequence[tuple[int, int]]) -> tuple[Share, ...]:
    """Divide what a month's usage costs among the parts of it, by largest remainders.

    Parameters
    ----------
    parts
        Usage of each, and how much of that is nobody's, in an order that stays the same.
    """
    costs = apportioned(price.of(sum(usage for usage, _ in parts)), [usage for usage, _ in parts])
    return tuple(
        Share(cost, apportioned(cost, (unowned, usage - unowned))[0] if usage else 0)
        for cost, (usage, unowned) in zip(costs, parts, strict=True)
    )
