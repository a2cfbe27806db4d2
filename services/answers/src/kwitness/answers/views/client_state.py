"""What state a client instance is in, in one word."""

from __future__ import annotations

from typing import Final, Literal

from kwitness.contracts.envelopes import ClientItem

__all__ = ["DEFAULT_INTERVAL_MS", "ClientState", "interval_of", "state_of"]

ClientState = Literal["Pushing", "Late", "Ended", "Unreadable", "NotAsked", "Silent"]

DEFAULT_INTERVAL_MS: Final = 300_000
"""Kafka's default push interval, where none was told."""
_LATE_AFTER: Final = 1.5
"""Intervals: after a change of subscription the next push comes after 0.5 to 1.5 of them (KIP-714)."""
_SLACK_MS: Final = 5_000
"""For the way, and for clocks that differ a little."""


def interval_of(client: ClientItem) -> int | None:
    """The interval that it is asked to push at, in milliseconds, or the one that it was seen to push at."""
    return client.effective.interval_ms if client.effective is not None else client.push_interval_ms


def state_of(client: ClientItem, now_ms: int) -> ClientState:
    """The state; `now_ms` is the present in milliseconds since 1970.

    Ended: it sent its terminating push. Unreadable: of what it pushes nothing can be read. NotAsked: no subscription
    matches it. Silent: it never pushed. Late: its last push is longer ago than one and a half intervals.
    """
    if client.terminated:
        return "Ended"
    if client.malformed and not client.metrics:
        return "Unreadable"
    if not asked(client):
        return "NotAsked"
    if client.last_push_ms is None:
        return "Silent"
    due = client.last_push_ms + _LATE_AFTER * (interval_of(client) or DEFAULT_INTERVAL_MS) + _SLACK_MS
    return "Late" if now_ms > due else "Pushing"


def asked(client: ClientItem) -> bool:
    """Whether any subscription asks it for metrics; a collector that does not say so knows the names at least."""
    if client.effective is not None:
        return bool(client.effective.metrics)
    return bool(client.subscriptions)
