"""Records of kwitness.requests as observers on the wire write them."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.records.requests import RequestEvent

EPOCH = 1_760_000_000_000


def event(number: int, *, connection: str = "c1", kind: str = "request", **changes: Any) -> RequestEvent:
    """The event of this number of a connection; a Produce of two partitions unless changed."""
    told: dict[str, Any] = {
        "event_source": "kwitness-system/gateway-0",
        "event_epoch": EPOCH,
        "event_seq": number,
        "reported_by": "gateway",
        "observer_mode": "gateway",
        "cluster_id": "cluster",
        "client_id": "checkout",
        "client_address": "10.0.0.7",
        "principal": "User:alice",
        "kind": kind,
        "connection_id": connection,
        "connection_seq": number,
        "occurred_at_ms": EPOCH + number,
        "api_key": 0,
        "api": "Produce",
        "api_version": 12,
        "correlation_id": number // 2,
        "size_bytes": 500,
        "topics": ("orders",),
    }
    return RequestEvent.model_validate(told | changes)


def line(one: RequestEvent) -> str:
    """The event as the topic has it."""
    return one.model_dump_json(exclude_none=True, by_alias=True)
