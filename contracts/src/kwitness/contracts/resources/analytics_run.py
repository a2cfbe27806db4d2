"""When an analysis runs: all the time, at times of the clock, or once."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, rules
from .durations import duration_field
from .time_zones import time_zone_field

__all__ = ["Once", "Run", "Schedule", "Streaming"]


def _cron_field(value: str) -> str:
    entry = rf"(\*|{value}(-{value})?)(/[1-9][0-9]?)?"
    return f"{entry}(,{entry})*"


_MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"
_WEEKDAYS = "SUN MON TUE WED THU FRI SAT"


def _in_any_case(names: str) -> str:
    return "|".join("".join(f"[{letter}{letter.lower()}]" for letter in name) for name in names.split(" "))


CRON_PATTERN = (
    "^(@(hourly|daily|weekly|monthly|yearly)|"
    + " ".join(
        _cron_field(value)
        for value in (
            "[0-5]?[0-9]",
            "([01]?[0-9]|2[0-3])",
            "(0?[1-9]|[12][0-9]|3[01])",
            f"(0?[1-9]|1[0-2]|{_in_any_case(_MONTHS)})",
            f"([0-6]|{_in_any_case(_WEEKDAYS)})",
        )
    )
    + ")$"
)
"""A cron expression of five fields within their ranges, one blank between them, or a name such as @daily.

As a CronJob reads it: Sunday is 0 and never 7.
"""

_ALL_NAMES = f"{_MONTHS} {_WEEKDAYS}"
_CRON_RULES = rules(
    *(
        Rule(
            f"self.upperAscii().findAll('{one}-{one}').all(r, {order})",
            "a range begins with its lower end: write 5-6,0-1 or FRI-SAT,SUN-MON in place of 5-1 or FRI-MON",
        )
        for one, order in (
            ("[0-9]+", "int(r.split('-')[0]) <= int(r.split('-')[1])"),
            ("[A-Z]+", f"'{_ALL_NAMES}'.indexOf(r.split('-')[0]) <= '{_ALL_NAMES}'.indexOf(r.split('-')[1])"),
        )
    )
)


class Streaming(Contract):
    """Runs all the time, in micro-batches."""

    trigger: str = duration_field("30s", "How often a micro-batch starts.", minimum="1s", maximum="1h")


class Schedule(Contract):
    """Runs at times of the clock, one run after the other."""

    cron: str = Field(
        description="When runs begin: a cron expression of five fields, or a name such as @daily. Sunday is 0, and a "
        "range begins with its lower end.",
        min_length=6,
        max_length=128,
        pattern=CRON_PATTERN,
        json_schema_extra=_CRON_RULES,
    )
    time_zone: str = time_zone_field(
        "Whose clock that is: a name of the IANA time zone database, such as Europe/Berlin."
    )
    starting_deadline: str | None = duration_field(
        None,
        "How late a run may still begin, where it could not in time; a later one is left out. Absent: however late.",
        minimum="10s",
        maximum="168h",
    )


class Once(Contract):
    """Runs once over what is there and ends."""

    id: str = Field(
        "1",
        description="Which run it is. A run that has ended, well or not, never runs again; another id is another run.",
        min_length=1,
        max_length=63,
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$",
    )


class Run(Contract):
    """When an analysis runs: exactly one of streaming, schedule and once."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "(has(self.streaming) ? 1 : 0) + (has(self.schedule) ? 1 : 0) + (has(self.once) ? 1 : 0) == 1",
                "exactly one of streaming, schedule and once must be given",
            )
        )
    )
    streaming: Streaming | None = Field(None, description="Runs all the time, in micro-batches.")
    schedule: Schedule | None = Field(None, description="Runs at times of the clock.")
    once: Once | None = Field(
        None, description="Runs once over what is there and ends; again only when `once.id` is another."
    )
