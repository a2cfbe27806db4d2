"""What usage costs: divided in proportion, to the last micro-unit, and stored bytes for as long as they are known."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kwitness.contracts.rate_card import RateCard
from kwitness.jobs.analyses.cost_attribution.apportionment import apportioned
from kwitness.jobs.analyses.cost_attribution.base_windows import base_lengths, base_windows
from kwitness.jobs.analyses.cost_attribution.prices import USAGES, Price, price_of, priced
from kwitness.jobs.analyses.cost_attribution.stored import measured
from kwitness.jobs.frame.windows import Span

HOUR = 3_600_000
PETABYTE = 10**15
#: As much as a month of a thousand exabytes is, in byte-hours.
WHOLE = st.integers(0, 10**24)
WEIGHTS = st.lists(st.integers(0, 10**24), min_size=1, max_size=20).filter(any)


@given(WHOLE, WEIGHTS)
@example(10**24, [1, 1, 1])
def test_parts_add_up_and_none_is_a_whole_unit_from_its_exact_share(whole: int, weights: list[int]) -> None:
    parts = apportioned(whole, weights)

    assert sum(parts) == whole
    total = sum(weights)
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - Fraction(whole * weight, total)) < 1
        assert part == 0 or weight > 0


@given(WHOLE, WEIGHTS)
def test_no_other_parts_are_nearer_to_the_exact_shares(whole: int, weights: list[int]) -> None:
    total = sum(weights)
    off = [
        Fraction(whole * weight, total) - part
        for part, weight in zip(apportioned(whole, weights), weights, strict=True)
    ]

    # A unit moved from any part to any other would take it further away.
    assert max(off) - min(off) <= 1


@given(WHOLE, WEIGHTS, st.integers(1, 10**6))
def test_only_proportions_count(whole: int, weights: list[int], factor: int) -> None:
    assert apportioned(whole, [one * factor for one in weights]) == apportioned(whole, weights)


def test_what_is_left_goes_to_the_largest_remainders_and_of_equal_ones_to_the_first() -> None:
    assert apportioned(7, (1, 1, 1)) == (3, 2, 2)
    assert apportioned(10, (65, 15, 20)) == (7, 1, 2)
    assert apportioned(10, (64, 16, 20)) == (6, 2, 2)
    assert apportioned(0, (0, 0)) == (0, 0)
    assert apportioned(0, ()) == ()
    with pytest.raises(ValueError, match="5 cannot be divided"):
        apportioned(5, (0, 0))


CARD = RateCard(
    currency="EUR",
    bytes_in_per_gib=12_000,
    bytes_out_per_gib=9_000,
    requests_per_million=200_000,
    stored_per_gib_month=25_000,
)


def test_a_gibibyte_a_million_requests_and_a_month_of_a_gibibyte_cost_their_rates() -> None:
    month_ms = 743 * HOUR

    assert price_of(CARD, "bytes_in", month_ms).of(2**30) == 12_000
    assert price_of(CARD, "bytes_out", month_ms).of(2**31) == 18_000
    assert price_of(CARD, "requests", month_ms).of(1_000_000) == 200_000
    assert price_of(CARD, "stored_byte_hours", month_ms).of(2**30 * 743) == 25_000
    assert price_of(CARD, "stored_byte_hours", 744 * HOUR).of(2**30 * 744) == 25_000
    # A month in which clocks were set by half an hour.
    assert price_of(CARD, "stored_byte_hours", 743 * HOUR + HOUR // 2).of(2**30 * 1487 // 2) == 25_000


def test_the_price_is_the_nearest_micro_unit() -> None:
    third = Price(1, 3)

    assert [third.of(usage) for usage in range(6)] == [0, 0, 1, 1, 1, 2]
    assert Price(1, 2).of(1) == 1
    assert Price(12_000, 2**30).of(1) == 0


def test_petabytes_cost_what_they_cost_to_the_last_micro_unit() -> None:
    usage = 123 * PETABYTE * 744 + 1

    exact = Fraction(25_000 * usage, 2**30 * 744)
    assert abs(price_of(CARD, "stored_byte_hours", 744 * HOUR).of(usage) - exact) <= Fraction(1, 2)
    assert usage > 2**63


def test_what_has_no_rate_costs_nothing() -> None:
    holes = RateCard(currency="EUR", bytes_in_per_gib=1)

    assert [price_of(holes, usage, HOUR).of(PETABYTE) > 0 for usage in USAGES] == [True, False, False, False]
    assert price_of(None, "bytes_in", HOUR).of(PETABYTE) == 0


PARTS = st.lists(st.tuples(st.integers(0, 10**20), st.integers(0, 10**20)), max_size=12)


@given(PARTS, st.integers(0, 10**15))
def test_costs_of_parts_add_up_to_the_price_of_the_whole(parts: list[tuple[int, int]], rate: int) -> None:
    price = Price(rate, 2**30)
    several = [(usage, min(usage, unowned)) for usage, unowned in parts]

    shares = priced(price, several)

    assert sum(one.cost for one in shares) == price.of(sum(usage for usage, _ in several))
    for share, (usage, unowned) in zip(shares, several, strict=True):
        assert 0 <= share.unowned <= share.cost
        assert share.unowned == share.cost or unowned < usage
        assert share.unowned == 0 or unowned > 0


MONTH = Span(1000 * HOUR, 1744 * HOUR)
HOURS = st.sets(st.integers(900, 1900), max_size=60)


@given(HOURS, st.integers(1, 200))
def test_each_hour_of_a_month_is_known_a_gap_or_outside_of_all_samples(hours: set[int], limit: int) -> None:
    found = measured([one * HOUR for one in hours], MONTH, limit * HOUR)

    between = {one for one in range(1000, 1744) if hours and min(hours) <= one < max(hours)}
    assert found.known_ms + found.gap_ms == len(between) * HOUR
    assert all(0 < one <= limit * HOUR for one in found.weights.values())


@given(HOURS)
def test_two_months_share_a_sample_without_counting_any_time_twice(hours: set[int]) -> None:
    sampled = [one * HOUR for one in hours]
    whole, limit = Span(MONTH.start, 1900 * HOUR), 50 * HOUR

    parts = [measured(sampled, one, limit) for one in (MONTH, Span(MONTH.end, whole.end))]
    together = measured(sampled, whole, limit)

    for at in together.weights:
        assert sum(part.weights.get(at, 0) for part in parts) == together.weights[at]
    assert sum(part.gap_ms for part in parts) == together.gap_ms


def test_a_sample_counts_from_the_one_before_it_and_not_over_a_long_gap() -> None:
    times = [998, 1001, 1002, 1010, 1743, 1745]
    month = measured([one * HOUR for one in times], MONTH, 10 * HOUR)

    assert {at // HOUR: ms // HOUR for at, ms in month.weights.items()} == {1001: 1, 1002: 1, 1010: 8, 1745: 1}
    assert month.gap_ms == 733 * HOUR
    assert measured([1500 * HOUR], MONTH, HOUR) == ({}, 0)
    assert measured([], MONTH, HOUR) == ({}, 0)


def test_the_shortest_windows_of_a_day_are_added_up() -> None:
    assert base_lengths({300, 3600, 86_400}) == (300,)
    assert base_lengths({3600, 86_400}) == (3600,)
    assert base_lengths({86_400}) == (86_400,)
    # The job's window was changed on that day.
    assert base_lengths({60, 300, 3600}) == (60, 300)


def test_windows_of_each_day_are_found_by_its_own_lengths() -> None:
    present = [(date(2027, 1, one), 300) for one in (2, 1)] + [(date(2027, 1, 1), 3600), (date(2027, 1, 3), 60)]

    assert base_windows(present) == (
        "(window_seconds IN (300) AND day IN (DATE'2027-01-01', DATE'2027-01-02')) OR "
        "(window_seconds IN (60) AND day IN (DATE'2027-01-03'))"
    )
    assert base_windows([]) == "false"
