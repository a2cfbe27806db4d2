"""Columns of `kwitness subscriptions`; pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from kwitness.answers.views.subscription_facts import Subscription, matched, remaining
from kwitness.cli.output import Column

__all__ = ["COLUMNS", "NAMESPACE_COLUMN", "cells"]

COLUMNS: Final = (
    Column("NAME", "name"),
    Column("CLUSTER", "cluster", optional=True),
    Column("OWNER", "owner"),
    Column("INTERVAL", "interval"),
    Column("METRICS", "metrics"),
    Column("CLIENTS", "match"),
    Column("READY", "ready", style={"True": "green", "False": "red", "Unknown": "yellow"}),
    Column("REASON", "reason"),
    Column("MATCHING", "matching", right=True),
    Column("PUSHING", "pushing", right=True),
    Column("EXPIRES", "expires", optional=True),
)
NAMESPACE_COLUMN: Final = Column("NAMESPACE", "namespace")


def cells(one: Subscription, now: datetime | None = None) -> dict[str, Any]:
    """Return the cells of a row."""
    more = [f"and {one.metrics_left_out} more"] if one.metrics_left_out else []
    return {
        "namespace": one.namespace,
        "name": one.name,
        "cluster": one.cluster,
        "owner": one.owner,
        "interval": one.interval,
        "metrics": [*one.metrics, *more] or "none",
        "match": matched(one.match),
        "ready": one.ready,
        "reason": one.reason,
        "matching": one.clients.get("matching"),
        "pushing": one.clients.get("pushing"),
        "expires": remaining(one.expires_at, now or datetime.now(UTC)),
    }
