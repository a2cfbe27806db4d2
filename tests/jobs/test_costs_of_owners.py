"""Costs that a driver reports: few teams by name, all the others added up, and days as time zones have them."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.jobs.analyses.cost_attribution.costs import days_before
from kwitness.jobs.analyses.cost_attribution.months import month_at, span_of
from kwitness.jobs.frame.costs import MAX_OWNERS, OTHER, UNOWNED, Amount, OwnerCost, owner_costs

HOUR_MS = 3_600_000
AMOUNTS = st.builds(Amount, st.integers(0, 10**12), st.integers(0, 10**12))


@given(st.dictionaries(st.none() | st.sampled_from([UNOWNED, OTHER]) | st.text(min_size=1), AMOUNTS, max_size=60))
def test_owners_are_few_and_add_up_to_all_that_was_used(amounts: dict[str | None, Amount]) -> None:
    found = owner_costs(amounts, has_day=True)

    assert len({cost.owner for cost in found}) == len(found) <= MAX_OWNERS + 2
    assert sum(cost.month_micro_units for cost in found) == sum(amount.month for amount in amounts.values())
    assert sum(cost.day_micro_units or 0 for cost in found) == sum(amount.day for amount in amounts.values())
    nobodys = sum(amounts[team].month for team in (None, UNOWNED) if team in amounts)
    assert sum(cost.month_micro_units for cost in found if cost.owner == UNOWNED) == nobodys


def test_teams_that_cost_most_are_reported_by_name_and_the_rest_as_other() -> None:
    amounts: dict[str | None, Amount] = {f"team-{micros:02}": Amount(micros, 1) for micros in range(1, MAX_OWNERS + 4)}
    amounts[None] = Amount(500, 2)

    *teams, unowned, other = owner_costs(amounts, has_day=True)

    assert [cost.owner for cost in teams] == [f"team-{micros:02}" for micros in range(MAX_OWNERS + 3, 3, -1)]
    assert unowned == OwnerCost(UNOWNED, 500, 2)
    assert other == OwnerCost(OTHER, 1 + 2 + 3, 3)


def test_without_a_day_there_is_no_cost_of_one() -> None:
    assert owner_costs({"orders": Amount(7)}, has_day=False) == (OwnerCost("orders", 7, None),)


def test_what_a_status_has_no_room_for_is_the_most_that_it_has() -> None:
    (found,) = owner_costs({"orders": Amount(10**30, 10**30)}, has_day=True)

    assert (found.month_micro_units, found.day_micro_units) == (2**62, 2**62)


@pytest.mark.parametrize(
    ("zone", "latest", "hours"),
    [
        ("Etc/UTC", date(2026, 9, 30), [24] * 5),
        # Clocks are set ahead on the 28th.
        ("Europe/Berlin", date(2027, 3, 29), [24, 24, 23, 24, 24]),
        # Midnight itself is left out on the 8th.
        ("America/Havana", date(2026, 3, 8), [24, 24, 24, 23, 24]),
    ],
)
def test_days_follow_each_other_and_are_priced_by_their_months(zone: str, latest: date, hours: list[int]) -> None:
    found = days_before(latest, ZoneInfo(zone))

    spans = list(found.spans.values())
    assert [(span.end - span.start) // HOUR_MS for span in spans] == hours
    assert [span.end for span in spans[:-1]] == [span.start for span in spans[1:]]
    months = {span_of(month_at(span.start, ZoneInfo(zone)), ZoneInfo(zone)) for span in spans}
    assert set(found.lengths.values()) == {month.end - month.start for month in months}
