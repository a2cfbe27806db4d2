"""When a schedule is due: as the CronJob controller of Kubernetes reads it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.operator.model.cron import next_due


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("expression", "zone", "after", "due"),
    [
        ("0 3 * * *", "Etc/UTC", "2026-01-01T00:00", "2026-01-01T03:00"),
        ("0 3 * * *", "Etc/UTC", "2026-01-01T03:00", "2026-01-02T03:00"),
        ("0 3 * * *", "Europe/Berlin", "2026-07-01T00:00", "2026-07-01T01:00"),
        ("0 3 * * *", "America/Los_Angeles", "2026-01-01T00:00", "2026-01-01T11:00"),
        ("*/15 2-4 * * *", "Etc/UTC", "2026-01-01T02:46", "2026-01-01T03:00"),
        ("5/20 * * * *", "Etc/UTC", "2026-01-01T00:26", "2026-01-01T00:45"),
        ("0 0 * * MON-FRI", "Etc/UTC", "2026-01-02T00:00", "2026-01-05T00:00"),
        ("0 0 * * 0", "Etc/UTC", "2026-01-01T00:00", "2026-01-04T00:00"),
        ("0 0 29 feb *", "Etc/UTC", "2026-01-01T00:00", "2028-02-29T00:00"),
        # Either of both, where both say something; both, where one is a star.
        ("0 0 13 * FRI", "Etc/UTC", "2026-01-03T00:00", "2026-01-09T00:00"),
        ("0 0 */2 * FRI", "Etc/UTC", "2026-01-03T00:00", "2026-01-09T00:00"),
        ("@daily", "Etc/UTC", "2026-01-01T00:00", "2026-01-02T00:00"),
        ("@hourly", "Asia/Kolkata", "2026-01-01T00:00", "2026-01-01T00:30"),
        ("@yearly", "Etc/UTC", "2026-01-01T00:00", "2027-01-01T00:00"),
        # The night of 29 March 2026 has no half past two in Berlin.
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", "2026-03-30T00:30"),
    ],
)
def test_the_next_time_is_that_of_the_clock_meant(expression, zone, after, due) -> None:
    assert next_due(expression, zone, _at(after)) == _at(due)


@pytest.mark.parametrize(
    ("expression", "zone"),
    [
        pytest.param("0 0 31 2 *", "Etc/UTC", id="never"),
        pytest.param("0 0 * * 7", "Etc/UTC", id="refused by the controller"),
        pytest.param("0 0 * * xyz", "Etc/UTC", id="no day"),
        pytest.param("0 0 5-1 * *", "Etc/UTC", id="backwards"),
        pytest.param("0 0 * * *", "Mars/Olympus", id="no zone"),
    ],
)
def test_what_is_never_due_or_cannot_be_read_is_not_told(expression, zone) -> None:
    assert next_due(expression, zone, _at("2026-01-01T00:00")) is None


@given(minute=st.integers(0, 59), hour=st.integers(0, 23), after=st.integers(0, 4 * 10**12))
def test_a_daily_time_is_within_a_day_and_at_its_minute(minute, hour, after) -> None:
    due = next_due(f"{minute} {hour} * * *", "Etc/UTC", after)

    assert due is not None
    assert 0 < due - after <= 86_400_000
    moment = datetime.fromtimestamp(due / 1000, UTC)
    assert (moment.hour, moment.minute, moment.second) == (hour, minute, 0)
