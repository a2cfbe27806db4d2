"""One subscription: what became of it, which of its metrics no client sends, and who is silent."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from kwitness.answers.views.silence import explained
from kwitness.answers.views.subscription_facts import Subscription, matched, of_resource, remaining
from kwitness.console.pages.conditions import Condition, conditions_of, meaning_of
from kwitness.console.pages.lines import Line
from kwitness.console.pages.page import Page, Requested
from kwitness.console.rows.resources import resource_named

__all__ = ["SUBSCRIPTION"]

_KIND: Final = "ClientMetricsSubscription"
_FIELDS: Final = ("clientId", "clientAddress", "clientSoftwareName", "clientSoftwareVersion", "connections")


def _values(requested: Requested) -> dict[str, Any]:
    namespace, _, name = requested.name.partition("/")
    body = resource_named(requested.database, _KIND, namespace, name)
    now = datetime.fromtimestamp(requested.now_ms / 1000, UTC)
    return {
        "namespace": namespace,
        "name": name,
        "has_kubernetes": "resources" in requested.read_ms,
        "is_known": body is not None,
        "lines": _lines(namespace, name),
        **({} if body is None else _described(body, now)),
    }


def _described(body: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    subscription = of_resource(body)
    status = body.get("status") or {}
    return {
        "subscription": subscription,
        "is_ending": "deletionTimestamp" in body["metadata"],
        "facts": list(_facts(subscription, body, now)),
        "conditions": conditions_of(body),
        "warnings": [
            Condition(entry["type"], "", entry["type"], entry.get("message", ""), meaning_of(entry["type"]))
            for entry in status.get("warnings") or ()
        ],
        "silent": [_silent(row) for name in ("silentSoftware", "silentClients") for row in status.get(name) or ()],
        "at_risk": status.get("atRiskClients") or [],
    }


def _silent(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of either list, with why it is silent and what to do."""
    explanation = explained(row["reason"])
    return {**dict.fromkeys(_FIELDS), **row, "because": explanation.because, "remedy": explanation.remedy}


def _facts(subscription: Subscription, body: Mapping[str, Any], now: datetime) -> Iterator[tuple[str, str]]:
    spec = body["spec"]
    yield "Cluster", f"{subscription.cluster_namespace}/{subscription.cluster}"
    yield "Interval", f"{subscription.interval}, or shorter where another subscription matches the client"
    yield "Clients", matched(subscription.match)
    if spec.get("suspend"):
        yield "Suspended", "yes"
    if spec.get("expireAfter"):
        end = remaining(subscription.expires_at, now) or f"{spec['expireAfter']} after its creation"
        yield "Ends", f"{end} ({subscription.expires_at})" if subscription.expires_at else end
    yield "At the brokers", subscription.broker_resource or "not yet"


def _lines(namespace: str, name: str) -> Sequence[Line]:
    place, own = f"--namespace {shlex.quote(namespace)}", shlex.quote(name)
    return (
        Line("kwitness", f"kwitness subscriptions describe {own} {place}", "all that is known of it"),
        Line("kubectl", f"kubectl get clientmetricssubscription {own} {place} --output yaml", "spec and status"),
        Line("kwitness", f"kwitness subscriptions delete {own} {place}", "ends it"),
    )


SUBSCRIPTION: Final = Page(
    "/subscriptions", "subscriptions", "subscription.html", ("resources",), _values, is_named=True
)
