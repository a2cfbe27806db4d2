"""When a cron expression is due, as the CronJob controller of Kubernetes reads it (robfig/cron, five fields)."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

__all__ = ["next_due"]

_NAMED: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
_MONTHS: Final = tuple(name.lower() for name in calendar.month_abbr)
_WEEKDAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MOST_DAYS: Final = 5 * 366
"""Days that are looked at; an expression such as that of 31 February is never due."""


@dataclass(frozen=True, slots=True)
class _Times:
    """Sets of numbers by field; ``days_open`` and ``weekdays_open`` where the field begins with a star."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    days_open: bool
    weekdays_open: bool

    def has(self, day: date) -> bool:
        in_month, in_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        # Either is enough where both are restricted.
        chosen = (in_month and in_week) if self.days_open or self.weekdays_open else (in_month or in_week)
        return day.month in self.months and chosen


def next_due(expression: str, time_zone: str, after_ms: int) -> int | None:
    """First time after ``after_ms`` (both in milliseconds since 1970); None if it is never due or cannot be told.

    What the clock of the time zone leaves out when it is put forward is left out here as well.
    """
    try:
        # The one zone that needs no database, which an image may lack.
        zone = UTC if time_zone == "Etc/UTC" else ZoneInfo(time_zone)
        times = _parse(expression)
    except (ValueError, OSError, KeyError):
        return None
    after = datetime.fromtimestamp(after_ms / 1000, UTC)
    for moment in _moments(times, after.astimezone(zone).date()):
        due = moment.replace(tzinfo=zone).astimezone(UTC)
        if due > after and due.astimezone(zone).replace(tzinfo=None) == moment:
            return int(due.timestamp() * 1000)
    return None


def _moments(times: _Times, first: date) -> Iterator[datetime]:
    for number in range(_MOST_DAYS):
        day = first + timedelta(days=number)
        if times.has(day):
            for hour in sorted(times.hours):
                for minute in sorted(times.minutes):
                    yield datetime.combine(day, time(hour, minute))


def _parse(expression: str) -> _Times:
    minutes, hours, days, months, weekdays = _NAMED.get(expression, expression).split(" ")
    return _Times(
        minutes=_numbers(minutes, 0, 59),
        hours=_numbers(hours, 0, 23),
        days=_numbers(days, 1, 31),
        months=_numbers(months, 1, 12, _MONTHS),
        weekdays=_numbers(weekdays, 0, 6, _WEEKDAYS),
        days_open=days.startswith("*"),
        weekdays_open=weekdays.startswith("*"),
    )


def _numbers(field: str, least: int, most: int, names: tuple[str, ...] = ()) -> frozenset[int]:
    found: set[int] = set()
    for entry in field.split(","):
        bounds, _, step = entry.partition("/")
        first, _, last = bounds.partition("-")
        low = least if first == "*" else _number(first, names)
        # A step without an end goes on to the end of the field.
        high = most if first == "*" or (step and not last) else _number(last or first, names)
        if not least <= low <= high <= most:
            raise ValueError(f"{entry} is not from {least} to {most}")
        found.update(range(low, high + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str, names: tuple[str, ...]) -> int:
    return names.index(text.lower()) if text.lower() in names else int(text)
