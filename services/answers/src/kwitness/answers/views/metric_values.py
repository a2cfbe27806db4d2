"""Values of metrics with their units, and what changed from one look to the next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from kwitness.contracts.envelopes import ClientMetricValue
from kwitness.contracts.metric_prefix import PREFIX

from .elapsed import ago

__all__ = [
    "CHANGE_HEADING",
    "METRIC_HEADINGS",
    "Series",
    "begins_with",
    "by_series",
    "change_between",
    "metric_cells",
    "name_with_attributes",
    "value_text",
]

METRIC_HEADINGS: Final = ("METRIC", "VALUE", "UNIT", "AT")
CHANGE_HEADING: Final = "CHANGE"

_DIGITS: Final = 6


class Series(NamedTuple):
    """What tells one value of a client from another."""

    name: str
    attributes: tuple[tuple[str, str], ...]


def series_of(point: ClientMetricValue) -> Series:
    """The series of a value."""
    return Series(point.name, tuple(sorted(point.attributes.items())))


def by_series(points: Iterable[ClientMetricValue]) -> dict[Series, ClientMetricValue]:
    """Values by their series, in the order of names and attributes."""
    found = {series_of(one): one for one in points}
    return {series: found[series] for series in sorted(found)}


def begins_with(point: ClientMetricValue, prefix: str) -> bool:
    """Whether the name does, as sent, without `org.apache.kafka.`, or as Prometheus has it."""
    names = (point.name, point.name.removeprefix(PREFIX), point.prometheus_name or "")
    return any(name.startswith(prefix) for name in names)


def name_with_attributes(point: ClientMetricValue) -> str:
    """As PromQL would write it: name{key="value"}."""
    inside = ",".join(f'{key}="{value}"' for key, value in sorted(point.attributes.items()))
    return f"{point.name}{{{inside}}}" if inside else point.name


def number_text(number: float) -> str:
    """At most six digits that mean something; whole numbers whole."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("Inf" if number > 0 else "-Inf")
    if number == int(number) and abs(number) < 10**15:
        return str(int(number))
    return f"{number:.{_DIGITS}g}"


def value_text(point: ClientMetricValue) -> str | None:
    """The value; of a histogram how many there were and their mean. None: there is none."""
    if point.type != "histogram":
        return None if point.value is None else number_text(point.value)
    if not point.count:
        return "0 measured"
    mean = "" if point.sum is None else f", mean {number_text(point.sum / point.count)}"
    return f"{number_text(point.count)} measured{mean}"


def unit_text(point: ClientMetricValue) -> str:
    """The unit on the wire; nothing where it is a plain number."""
    return "" if point.unit == "1" else point.unit


def _amount(point: ClientMetricValue) -> float | None:
    return point.count if point.type == "histogram" else point.value


def change_between(before: ClientMetricValue | None, after: ClientMetricValue) -> str | None:
    """What a series has changed by: a sign and a number, `new`, or nothing where no push came between.

    A counter that became less began again at zero, so that all it counts is the change.
    """
    amount = _amount(after)
    if amount is None:
        return None
    if before is None:
        return "new"
    former = _amount(before)
    if former is None or after.at_ms is None or before.at_ms == after.at_ms:
        return None
    if not math.isfinite(amount - former):
        return None
    change = amount if after.type != "gauge" and amount < former else amount - former
    text = number_text(change)
    return text if text.startswith("-") else f"+{text}"


def metric_cells(
    point: ClientMetricValue, now_ms: int, before: Mapping[Series, ClientMetricValue] | None
) -> Sequence[str | None]:
    """A line for `METRIC_HEADINGS`; behind the unit the change since `before`, where there was a look before."""
    cells = [name_with_attributes(point), value_text(point), unit_text(point)]
    if before is not None:
        cells.append(change_between(before.get(series_of(point)), point))
    return (*cells, ago(point.at_ms, now_ms) if point.at_ms is not None else None)
