"""Calendar months and days of a time zone, as spans of milliseconds since 1970 without a gap. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from kwitness.jobs.frame.moments import DAY_MS
from kwitness.jobs.frame.windows import Span

_DECEMBER = 12
_EPOCH = date(1970, 1, 1)


class Month(NamedTuple):
    """A month of the Gregorian calendar."""

    year: int
    month: int

    @property
    def name(self) -> str:
        """As tables have it, such as 2028-02."""
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def next(self) -> Month:
        """The month after it."""
        return Month(self.year + 1, 1) if self.month == _DECEMBER else Month(self.year, self.month + 1)

    @property
    def first_day(self) -> date:
        """Its first day."""
        return date(self.year, self.month, 1)

    @classmethod
    def named(cls, name: str) -> Month:
        """The month that a table calls so."""
        year, _, month = name.partition("-")
        return cls(int(year), int(month))


def span_of(month: Month, zone: ZoneInfo) -> Span:
    """From the first millisecond of a month to the first after it: 743 hours are a March with summer time."""
    return Span(_start(month.first_day, zone), _start(month.next.first_day, zone))


def day_span(day: date, zone: ZoneInfo) -> Span:
    """Return the same of a day: 23 hours are one on which clocks are set ahead."""
    return Span(_start(day, zone), _start(day + timedelta(days=1), zone))


def month_at(milliseconds: int, zone: ZoneInfo) -> Month:
    """The month that holds a time.

    Clocks that are set back from the first of a month to the last of the one before do not bring that month back.
    """
    local = datetime.fromtimestamp(milliseconds // 1000, zone)
    month = Month(local.year, local.month)
    return month.next if milliseconds >= span_of(month, zone).end else month


def months_of_days(days: Iterable[date], zone: ZoneInfo) -> tuple[Month, ...]:
    """Months that a part of these days in UTC belongs to, in order."""
    found: set[Month] = set()
    for day in days:
        start = (day - _EPOCH) // timedelta(days=1) * DAY_MS
        found |= {month_at(start, zone), month_at(start + DAY_MS - 1, zone)}
    return tuple(sorted(found))


@lru_cache(maxsize=4096)
def _start(day: date, zone: ZoneInfo) -> int:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    early, late = sorted(int(midnight.replace(fold=fold).timestamp()) for fold in (0, 1))
    if datetime.fromtimestamp(early, zone).date() >= midnight.date():
        # There is a midnight; of two, the first.
        return early * 1000
    # Clocks are set ahead over it: the day begins where they are.
    while late - early > 1:
        middle = (early + late) // 2
        if datetime.fromtimestamp(middle, zone).date() >= midnight.date():
            late = middle
        else:
            early = middle
    return late * 1000
