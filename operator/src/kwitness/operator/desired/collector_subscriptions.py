"""What brokers ask clients for, as collectors and observers are told of it."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.contracts.broker_configs import BrokerSubscriptionConfig
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["collector_subscriptions"]


def collector_subscriptions(subscriptions: Iterable[BrokerSubscription]) -> tuple[BrokerSubscriptionConfig, ...]:
    """Every CLIENT_METRICS config of a broker, in the order given."""
    return tuple(
        BrokerSubscriptionConfig(id=one.id, metrics=one.metrics, interval_ms=one.interval_ms, match=dict(one.match))
        for one in subscriptions
    )
