"""Months of time zones: without a gap between them, whatever clocks do."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.jobs.analyses.cost_attribution.months import Month, month_at, months_of_days, span_of

HOUR_MS = 3_600_000
ZONES = (
    *("Etc/UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe"),
    *("America/St_Johns", "America/Havana", "America/Asuncion", "Africa/Cairo", "Pacific/Apia", "Pacific/Kiritimati"),
)
YEARS = (int(datetime(1995, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2036, 1, 1, tzinfo=UTC).timestamp()))
TIMES = st.integers(YEARS[0] * 1000, YEARS[1] * 1000)


@given(st.sampled_from(ZONES), TIMES)
def test_each_time_is_in_the_month_whose_span_holds_it_and_the_next_begins_where_that_ends(zone: str, at: int) -> None:
    place = ZoneInfo(zone)

    month = month_at(at, place)
    span = span_of(month, place)

    assert span.start <= at < span.end
    assert span_of(month.next, place).start == span.end
    assert Month.named(month.name) == month
    assert 27 * 24 * HOUR_MS < span.end - span.start < 32 * 24 * HOUR_MS


@given(st.sampled_from(ZONES), TIMES)
def test_the_month_is_what_clocks_there_say_unless_they_were_set_back_over_its_beginning(zone: str, at: int) -> None:
    place = ZoneInfo(zone)
    local = datetime.fromtimestamp(at // 1000, place)

    month = month_at(at, place)

    assert month == (local.year, local.month) or (
        month == Month(local.year, local.month).next and datetime.fromtimestamp(at // 1000 - 3600, place).day == 1
    )


@pytest.mark.parametrize(
    ("zone", "month", "start", "hours"),
    [
        ("Etc/UTC", Month(2028, 2), "2028-02-01T00:00+00:00", 29 * 24),
        ("Etc/UTC", Month(2027, 2), "2027-02-01T00:00+00:00", 28 * 24),
        ("Etc/UTC", Month(2100, 2), "2100-02-01T00:00+00:00", 28 * 24),
        ("Europe/Berlin", Month(2027, 3), "2027-02-28T23:00+00:00", 31 * 24 - 1),
        ("Europe/Berlin", Month(2027, 10), "2027-09-30T22:00+00:00", 31 * 24 + 1),
        ("America/New_York", Month(2026, 11), "2026-11-01T04:00+00:00", 30 * 24 + 1),
        ("Asia/Kolkata", Month(2027, 1), "2026-12-31T18:30+00:00", 31 * 24),
        ("Asia/Kathmandu", Month(2027, 1), "2026-12-31T18:15+00:00", 31 * 24),
        # Half an hour of summer time.
        ("Australia/Lord_Howe", Month(2027, 4), "2027-03-31T13:00+00:00", 30 * 24 + 0.5),
        # The first of the month begins twice, or only at one o'clock, or is left in the first minute and comes again.
        ("America/Havana", Month(2020, 11), "2020-11-01T04:00+00:00", 30 * 24 + 1),
        ("America/Asuncion", Month(2017, 10), "2017-10-01T04:00+00:00", 31 * 24 - 1),
        ("America/St_Johns", Month(2009, 11), "2009-11-01T02:30+00:00", 30 * 24 + 1),
        # The last Friday of 2011 was left out.
        ("Pacific/Apia", Month(2011, 12), "2011-12-01T10:00+00:00", 30 * 24),
    ],
)
def test_months_have_the_hours_that_their_clocks_have(zone: str, month: Month, start: str, hours: float) -> None:
    span = span_of(month, ZoneInfo(zone))

    assert datetime.fromtimestamp(span.start / 1000, UTC) == datetime.fromisoformat(start)
    assert (span.end - span.start) / HOUR_MS == hours


def test_a_day_in_utc_belongs_to_the_months_that_have_a_part_of_it() -> None:
    days = [date(2027, 1, 15), date(2027, 3, 31)]

    assert months_of_days(days, ZoneInfo("Etc/UTC")) == ((2027, 1), (2027, 3))
    assert months_of_days(days, ZoneInfo("Asia/Kolkata")) == ((2027, 1), (2027, 3), (2027, 4))
    assert months_of_days([], ZoneInfo("Etc/UTC")) == ()


@given(st.sampled_from(ZONES), st.dates(date(1995, 1, 2), date(2035, 12, 30)))
def test_no_part_of_a_day_is_left_out(zone: str, day: date) -> None:
    place = ZoneInfo(zone)
    start = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000

    months = months_of_days([day], place)

    assert {month_at(start + hours * HOUR_MS // 4, place) for hours in range(96)} == set(months)
