"""``status.subscriptions`` of a KafkaCluster: what its brokers ask clients for, whoever wanted it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kwitness.operator.desired.shared_intervals import interval_text
from kwitness.operator.desired.subscription_plan import SELECTORS, own_key
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["subscription_fields"]

_MOST: Final = 100
_PREFIXES: Final = 16
_NAME, _SELECTOR, _PATTERN, _PREFIX = 400, 64, 1024, 255
"""Bounds of the definition. What brokers say is cut to them, since one text too long would have all of it refused."""
_OURS: Final = "kwitness."
_PARTS_OF_OURS: Final = 4
_SPELLINGS: Final = {kafkas: ours for ours, kafkas in SELECTORS.items()}


def subscription_fields(subscriptions: Sequence[BrokerSubscription], installation: str) -> dict[str, Any]:
    """The two fields, of which those are absent that would be empty."""
    known = [one for one in sorted(subscriptions, key=lambda one: one.id) if len(one.id) <= _NAME]
    listed = [_entry(one, installation) for one in known[:_MOST]]
    fields = {"subscriptions": listed, "subscriptionsLeftOut": len(subscriptions) - len(listed)}
    return {name: value for name, value in fields.items() if value}


def _entry(subscription: BrokerSubscription, installation: str) -> dict[str, Any]:
    key = own_key(installation, subscription.id)
    entry: dict[str, Any] = {
        "name": subscription.id,
        "owner": _owner(subscription.id, ours=key is not None),
        "interval": interval_text(subscription.interval_ms),
    }
    if key is not None:
        entry["resource"] = {"namespace": key.namespace[:63], "name": key.name[:253]}
    if subscription.metrics:
        entry["metrics"] = [prefix[:_PREFIX] for prefix in subscription.metrics[:_PREFIXES]]
    if len(subscription.metrics) > _PREFIXES:
        entry["metricsLeftOut"] = len(subscription.metrics) - _PREFIXES
    if subscription.match:
        entry["match"] = [
            {"selector": _SPELLINGS.get(kafkas, kafkas)[:_SELECTOR], "pattern": pattern[:_PATTERN]}
            for kafkas, pattern in subscription.match[: len(SELECTORS)]
        ]
    return entry


def _owner(name: str, *, ours: bool) -> str:
    if ours:
        return "Ours"
    parts = name.split(".", _PARTS_OF_OURS - 1)
    return "OtherInstallation" if name.startswith(_OURS) and len(parts) == _PARTS_OF_OURS and all(parts) else "Foreign"
