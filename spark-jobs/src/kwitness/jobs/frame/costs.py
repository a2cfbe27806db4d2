"""Costs by owner as a driver reports them: the teams that cost most, what has no owner, and the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

MAX_OWNERS: Final = 20
"""Teams that are reported one by one; the table has all."""
UNOWNED: Final = "unowned"
OTHER: Final = "other"
#: What a status has room for, in micro-units: some trillions of the currency.
_MOST: Final = 2**62


class Amount(NamedTuple):
    """Micro-units of the month so far and of the day."""

    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class OwnerCost:
    """Usage of an owner, in micro-units; `day_micro_units` is None where there is no day."""

    owner: str
    month_micro_units: int
    day_micro_units: int | None


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of the present month and of the last day that is over.

    Attributes
    ----------
    month
        Its name, such as 2028-02.
    day
        The last day of which all windows are closed, such as 2028-02-29; None where none of the latest days is.
    day_end_ms
        Its end, in milliseconds since 1970.
    """

    currency: str
    month: str
    day: str | None
    day_end_ms: int | None
    owners: tuple[OwnerCost, ...]


def owner_costs(amounts: Mapping[str | None, Amount], *, has_day: bool) -> tuple[OwnerCost, ...]:
    """Return the amounts of at most `MAX_OWNERS` teams, those that cost most in the month, with the others added up.

    Parameters
    ----------
    amounts
        By team; None is usage without an owner. A team that is called `UNOWNED` or `OTHER` is part of that.
    """
    teams = {team: amount for team, amount in amounts.items() if team not in {None, UNOWNED, OTHER}}
    most = sorted(teams, key=lambda team: (-teams[team].month, -teams[team].day, str(team)))
    shown = most[:MAX_OWNERS]
    rest = {
        UNOWNED: [amounts[team] for team in (None, UNOWNED) if team in amounts],
        OTHER: [amounts[OTHER]] if OTHER in amounts else [],
    }
    rest[OTHER] += [teams[team] for team in most[MAX_OWNERS:]]
    added = {str(team): teams[team] for team in shown} | {name: _sum(several) for name, several in rest.items()}
    return tuple(
        OwnerCost(team, min(amount.month, _MOST), min(amount.day, _MOST) if has_day else None)
        for team, amount in added.items()
        if team in shown or any(amount)
    )


def _sum(amounts: Iterable[Amount]) -> Amount:
    several = tuple(amounts)
    return Amount(sum(amount.month for amount in several), sum(amount.day for amount in several))
