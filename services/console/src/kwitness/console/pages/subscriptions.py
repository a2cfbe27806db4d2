"""Subscriptions: which metrics are requested of which clients, and which of them no client sends."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from kwitness.answers.views.subscription_facts import remaining
from kwitness.console.pages.lines import Line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.rows.subscriptions import (
    SUBSCRIPTION_ORDER,
    SUBSCRIPTION_ORDERS,
    SubscriptionsView,
    subscription_rows,
    subscription_totals,
)

__all__ = ["SUBSCRIPTIONS"]


def _values(requested: Requested) -> dict[str, Any]:
    view = SubscriptionsView.read(requested.query, orders=SUBSCRIPTION_ORDERS)
    window = subscription_rows(requested.database, view)
    now = datetime.fromtimestamp(requested.now_ms / 1000, UTC)
    return {
        "view": view,
        "default": SUBSCRIPTION_ORDER,
        "window": window,
        "expiries": [remaining(row["expires_at"], now) for row in window.rows],
        "totals": subscription_totals(requested.database, view),
        "has_kubernetes": "resources" in requested.read_ms,
        "lines": _lines(view),
    }


def _lines(view: SubscriptionsView) -> Sequence[Line]:
    place = f"--namespace {shlex.quote(view.namespace)}" if view.namespace else "--all-namespaces"
    return (
        Line("kwitness", f"kwitness subscriptions list {place}", "subscriptions of this installation and of others"),
        Line("kubectl", f"kubectl get clientmetricssubscriptions {place}", "those of this installation"),
        Line(
            "Kafka",
            "kafka-client-metrics.sh --bootstrap-server HOST:PORT --describe",
            "all that the brokers have, by their own names",
        ),
    )


SUBSCRIPTIONS: Final = Page(
    "/subscriptions", "subscriptions", "subscriptions.html", ("resources",), _values, title="Subscriptions"
)
