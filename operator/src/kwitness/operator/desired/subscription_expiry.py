"""Until when a ClientMetricsSubscription is on the brokers, and what it is told afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.reasons import remedy
from kwitness.contracts.resources.durations import parse_duration
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.model.moments import milliseconds_of, rfc3339

__all__ = ["expired_verdict", "expires_ms"]


def expires_ms(body: Mapping[str, Any]) -> int | None:
    """When the time of a subscription's ``spec.expireAfter`` is over, in milliseconds since 1970; None for never.

    It is counted from ``metadata.creationTimestamp``, so nothing has to be remembered.
    """
    after = (body.get("spec") or {}).get("expireAfter")
    created = milliseconds_of(body["metadata"].get("creationTimestamp"))
    if after is None or not created:
        return None
    try:
        return created + round(parse_duration(str(after)).total_seconds() * 1000)
    except ValueError:
        # Its status says InvalidSpec.
        return None


def expired_verdict(body: Mapping[str, Any], ended_ms: int) -> Verdict:
    """Ready=True, since that is what was asked for; says since when, counted from when, and how to bring it back."""
    after, created = body["spec"]["expireAfter"], body["metadata"]["creationTimestamp"]
    return ready(
        "Expired",
        f"not on the broker: spec.expireAfter, {after} from the resource's creation at {created}, was over at"
        f" {rfc3339(ended_ms)}: {remedy('Expired')}",
    )
