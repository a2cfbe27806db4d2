"""Makes ``status.subscriptions`` of a KafkaCluster: what its brokers request from clients, whoever made it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from kwitness.operator.desired.shared_intervals import interval_text
from kwitness.subscriptions.broker_names import SELECTORS, own_prefix, owner_of, resource_of, selector_of
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["subscription_fields"]

_FIRST: Final = 10
_PREFIXES: Final = 16
_NAME, _SELECTOR, _PATTERN, _PREFIX = 400, 64, 1024, 255
"""Bounds of the definition. What brokers say is cut to them, since one text too long would have all of it refused."""


def subscription_fields(subscriptions: Sequence[BrokerSubscription], installation: str) -> dict[str, Any]:
    """Return how many there are by owner, and the first ten: those of others, then ours, each by name."""
    prefix = own_prefix(installation)
    owners = {one.id: owner_of(prefix, one.id) for one in subscriptions}
    counts = Counter(owners.values())
    listed = sorted(
        (one for one in subscriptions if len(one.id) <= _NAME), key=lambda one: (owners[one.id] == "Ours", one.id)
    )
    return {
        "ours": counts["Ours"],
        "otherInstallations": counts["OtherInstallation"],
        "foreign": counts["Foreign"],
        "prefix": prefix,
        "first": [_entry(one, prefix, owners[one.id]) for one in listed[:_FIRST]],
    }


def _entry(subscription: BrokerSubscription, prefix: str, owner: str) -> dict[str, Any]:
    resource = resource_of(prefix, subscription.id)
    entry: dict[str, Any] = {
        "name": subscription.id,
        "owner": owner,
        "interval": interval_text(subscription.interval_ms),
    }
    if resource is not None:
        entry["resource"] = {"namespace": resource.namespace[:63], "name": resource.name[:253]}
    if subscription.metrics:
        entry["metrics"] = [metric[:_PREFIX] for metric in subscription.metrics[:_PREFIXES]]
    if len(subscription.metrics) > _PREFIXES:
        entry["metricsLeftOut"] = len(subscription.metrics) - _PREFIXES
    if subscription.match:
        entry["match"] = [
            {"selector": selector_of(key)[:_SELECTOR], "pattern": pattern[:_PATTERN]}
            for key, pattern in subscription.match[: len(SELECTORS)]
        ]
    return entry
