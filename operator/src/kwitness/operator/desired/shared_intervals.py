"""Where subscriptions make clients push more often than one of them says; only what their own words make certain.

A broker asks a client that several subscriptions match for all of their metrics, at the shortest of their intervals and
of `LONGEST_INTERVAL_MS`. A subscription whose selectors and patterns are among those of another reaches every client
that the other reaches. Whether patterns that are written differently have clients in common cannot be told here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Final

from kwitness.contracts.resources.durations import duration_text
from kwitness.subscriptions.broker_subscription import DEFAULT_INTERVAL_MS, BrokerSubscription

__all__ = ["LONGEST_INTERVAL_MS", "interval_text", "interval_warnings"]

LONGEST_INTERVAL_MS: Final = DEFAULT_INTERVAL_MS
"""Kafka 3.7 to 4.3 begin with their default when they look for the shortest interval of a client
(``ClientMetricsManager.createClientInstance``), so a longer one is never used."""

_MOST = 3
"""Others that a message names."""


def interval_text(milliseconds: int) -> str:
    """An interval as a resource has it."""
    return duration_text(timedelta(milliseconds=milliseconds))


def interval_warnings(
    subscription: BrokerSubscription, standing: Collection[BrokerSubscription], names: Mapping[str, str]
) -> list[dict[str, str]]:
    """``status.warnings`` of one subscription, given all that stand on the brokers.

    ``names`` are those by which people know a subscription, by id, where that is not the id itself.
    """
    found: dict[str, str] = {}
    own = min(subscription.interval_ms, LONGEST_INTERVAL_MS)
    if subscription.interval_ms > LONGEST_INTERVAL_MS:
        found["IntervalTooLong"] = (
            f"clients push every {interval_text(LONGEST_INTERVAL_MS)}, not every"
            f" {interval_text(subscription.interval_ms)}: brokers do not use a longer interval than that"
        )
    shorter = [one for one in standing if one.id != subscription.id and one.interval_ms < own]
    match = set(subscription.match)
    of_all = [one for one in shorter if set(one.match) <= match]
    shortest = min((one.interval_ms for one in of_all), default=own)
    # What reaches a part of the clients is told only where it makes a difference for that part.
    of_some = [one for one in shorter if set(one.match) > match and one.interval_ms < shortest]
    said = []
    if of_all:
        said.append(
            f"its clients push every {interval_text(shortest)}, not every {interval_text(own)}, since all of them"
            f" are asked by {_named(of_all, names)} too"
        )
    if of_some:
        fastest = min(one.interval_ms for one in of_some)
        said.append(
            f"those of its clients that are matched by {_named(of_some, names)} push as often as every"
            f" {interval_text(fastest)}"
        )
    if said:
        found["IntervalShared"] = f"{'; '.join(said)}: the shortest interval counts for all that a client is asked for"
    return [{"type": kind, "message": message[:1024]} for kind, message in sorted(found.items())]


def _named(found: Sequence[BrokerSubscription], names: Mapping[str, str]) -> str:
    nearest = sorted(found, key=lambda one: (one.interval_ms, one.id))
    named = [names.get(one.id, one.id) for one in nearest[:_MOST]]
    return ", ".join(named) + (f" and {len(found) - _MOST} more" if len(found) > _MOST else "")
