"""Which windows of a job's table hold each record once: the shortest, since longer ones are made of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from datetime import date

_HOUR = 3600


def base_lengths(lengths: AbstractSet[int]) -> tuple[int, ...]:
    """The lengths of a day's windows, in seconds, that are added up: the shortest.

    There are several only on a day on which the job's `window` was changed: those below an hour, since only those of an
    hour and more are made of others.
    """
    below = tuple(sorted(one for one in lengths if one < _HOUR))
    return below or tuple(sorted(lengths))[:1]


def base_windows(present: Iterable[tuple[date, int]]) -> str:
    """The condition in SQL for rows that are added up, on the columns `day` and `window_seconds`.

    Parameters
    ----------
    present
        The days and lengths that there are rows of.
    """
    lengths: dict[date, set[int]] = {}
    for day, seconds in present:
        lengths.setdefault(day, set()).add(seconds)
    days: dict[tuple[int, ...], list[date]] = {}
    for day, several in sorted(lengths.items()):
        days.setdefault(base_lengths(several), []).append(day)
    return " OR ".join(_condition(several, on) for several, on in days.items()) or "false"


def _condition(lengths: tuple[int, ...], days: list[date]) -> str:
    named = ", ".join(f"DATE'{day}'" for day in days)
    return f"(window_seconds IN ({', '.join(map(str, lengths))}) AND day IN ({named}))"
