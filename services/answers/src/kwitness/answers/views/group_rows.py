"""Makes a line for each consumer group and topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kwitness.contracts.envelopes import GroupItem

from .client_rows import team_of
from .elapsed import ago, span

__all__ = ["GROUP_HEADINGS", "group_cells"]

GROUP_HEADINGS: Final = ("GROUP", "TOPIC", "LAG", "RECORDS", "OWNER", "TOPIC OWNER", "WENT BACK", "AS OF")


def group_cells(item: GroupItem, now_ms: int) -> Sequence[Any]:
    """Return a line for `GROUP_HEADINGS`."""
    return (
        item.group_id,
        item.topic,
        None if item.committed_lag_ms is None else span(item.committed_lag_ms),
        item.committed_lag,
        team_of(item.owner),
        team_of(item.topic_owner),
        _went_back(item, now_ms),
        ago(item.until_ms, now_ms),
    )


def _went_back(item: GroupItem, now_ms: int) -> str | None:
    if item.went_back_ms is None:
        return None
    return f"{item.went_back_records or 0} records, {ago(item.went_back_ms, now_ms)}"
