"""Following a client's pushes by looking at its newest values again and again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from kwitness.contracts.envelopes import ClientMetrics, ClientMetricValue

from .client_state import DEFAULT_INTERVAL_MS, interval_of
from .metric_values import Series, by_series, name_with_attributes, unit_text, value_text

__all__ = ["changed_since", "next_look_ms", "point_line"]

_SOONEST_MS: Final = 500
_AFTER_PUSH_MS: Final = 250
"""How long after a push is due one looks: it has a way to go."""
_LATEST_MS: Final = 60_000
"""A subscription that was just added shortens the interval, which nobody wants to wait five minutes for."""


def next_look_ms(answer: ClientMetrics, now_ms: int) -> int:
    """In how many milliseconds to look again: shortly after the next push is due, half a second at least.

    Between two looks is at most one interval, so that no push is passed over while the client keeps to it.
    """
    interval = interval_of(answer.client) or DEFAULT_INTERVAL_MS
    last = answer.client.last_push_ms
    due = interval if last is None else last + interval + _AFTER_PUSH_MS - now_ms
    if due <= 0:  # It is late; a client may push after one and a half intervals.
        due = interval // 4
    return min(max(due, _SOONEST_MS), max(interval, _SOONEST_MS), _LATEST_MS)


def changed_since(before: Mapping[Series, ClientMetricValue] | None, answer: ClientMetrics) -> list[ClientMetricValue]:
    """Values of a push that came since the last look, at the first look of the newest push.

    A value without a time is of an earlier push, and nothing that came now.
    """
    points = {series: one for series, one in by_series(answer.metrics).items() if one.at_ms is not None}
    known = before or {}
    return [one for series, one in points.items() if series not in known or known[series].at_ms != one.at_ms]


def point_line(point: ClientMetricValue, client: str) -> str:
    """One line of a record: when it was pushed, by whom, what, and how much."""
    when = "-" if point.at_ms is None else datetime.fromtimestamp(point.at_ms / 1000, UTC).strftime("%H:%M:%S.%f")[:-3]
    unit = unit_text(point)
    return f"{when} {client} {name_with_attributes(point)} {value_text(point) or '-'}{f' {unit}' if unit else ''}"
