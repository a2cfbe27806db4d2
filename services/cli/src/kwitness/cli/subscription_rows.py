"""What is asked of clients, from resources and from what the operator saw at the brokers; pure.

A KafkaCluster's status lists the first subscriptions that its brokers have, ours and foreign, and its collector knows
all; those of this installation are resources, too, which say more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kwitness.cli.output import Column
from kwitness.contracts.envelopes import SubscriptionState
from kwitness.contracts.resources.broker_subscriptions import BrokerSubscriptions
from kwitness.contracts.resources.durations import duration_text
from kwitness.subscriptions.broker_names import owner_of, resource_of, selector_of

__all__ = ["COLUMNS", "Subscription", "cells", "of_collector", "of_resource", "of_status", "subscriptions"]

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


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscription; ``ready`` and what follows is known of those of this installation alone."""

    name: str
    namespace: str | None
    cluster: str
    owner: str
    interval: str | None
    metrics: tuple[str, ...]
    match: tuple[tuple[str, str], ...]
    metrics_left_out: int = 0
    ready: str | None = None
    reason: str | None = None
    message: str | None = None
    clients: Mapping[str, Any] = field(default_factory=dict)
    expires_at: str | None = None
    broker_resource: str | None = None

    def document(self) -> dict[str, Any]:
        """Return it as JSON values, under the names that resources use; what is not known is absent."""
        values = {
            "name": self.name,
            "namespace": self.namespace,
            "cluster": self.cluster,
            "owner": self.owner,
            "interval": self.interval,
            "metrics": list(self.metrics),
            "metricsLeftOut": self.metrics_left_out or None,
            "match": [{"selector": selector, "pattern": pattern} for selector, pattern in self.match],
            "ready": self.ready,
            "reason": self.reason,
            "message": self.message,
            "clients": dict(self.clients) or None,
            "expiresAt": self.expires_at,
            "brokerResource": self.broker_resource,
        }
        return {name: value for name, value in values.items() if value is not None}


def of_resource(body: Mapping[str, Any]) -> Subscription:
    """Return a ClientMetricsSubscription as the API server has it."""
    spec, status = body["spec"], body.get("status") or {}
    conditions = {one.get("type"): one for one in status.get("conditions") or ()}
    ready = conditions.get("Ready") or {}
    return Subscription(
        name=body["metadata"]["name"],
        namespace=body["metadata"]["namespace"],
        cluster=spec["clusterRef"]["name"],
        owner="Ours",
        interval=spec.get("interval"),
        metrics=tuple(spec.get("metrics") or ()),
        match=_match(spec.get("match")),
        ready=ready.get("status"),
        reason=ready.get("reason"),
        message=ready.get("message"),
        clients=status.get("clients") or {},
        expires_at=status.get("expiresAt"),
        broker_resource=status.get("brokerResource"),
    )


def of_status(cluster: str, held: BrokerSubscriptions) -> Iterator[Subscription]:
    """Yield what the brokers of a KafkaCluster have, as far as its status lists them."""
    for entry in held.first:
        resource = entry.resource
        yield Subscription(
            name=entry.name if resource is None else resource.name,
            namespace=None if resource is None else resource.namespace,
            cluster=cluster,
            owner=entry.owner,
            interval=entry.interval,
            metrics=entry.metrics,
            metrics_left_out=entry.metrics_left_out or 0,
            match=tuple((match.selector, match.pattern) for match in entry.match),
            broker_resource=entry.name,
        )


def of_collector(
    cluster: str, held: BrokerSubscriptions, states: Iterable[SubscriptionState]
) -> Iterator[Subscription]:
    """Yield what the brokers of a KafkaCluster have, as its collector knows them."""
    for state in states:
        if (definition := state.definition) is None:
            continue
        resource = resource_of(held.prefix, state.id)
        yield Subscription(
            name=state.id if resource is None else resource.name,
            namespace=None if resource is None else resource.namespace,
            cluster=cluster,
            owner=owner_of(held.prefix, state.id),
            interval=duration_text(timedelta(milliseconds=definition.interval_ms)),
            metrics=definition.metrics,
            match=tuple((selector_of(key), pattern) for key, pattern in sorted(definition.match.items())),
            clients=state.clients.model_dump(exclude_none=True),
            broker_resource=state.id,
        )


def subscriptions(resources: Iterable[Mapping[str, Any]], of_brokers: Iterable[Subscription]) -> list[Subscription]:
    """Return those of resources, and what brokers have beside them; ours first, then by name."""
    own = [of_resource(one) for one in resources]
    known = {(one.namespace, one.name) for one in own}
    others = [row for row in of_brokers if row.owner != "Ours" or (row.namespace, row.name) not in known]
    order = ("Ours", "OtherInstallation", "Foreign")
    return [
        *own,
        *sorted(others, key=lambda one: (order.index(one.owner) if one.owner in order else len(order), one.name)),
    ]


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


def matched(match: Sequence[tuple[str, str]]) -> str:
    """Say which clients are meant."""
    return ", ".join(f"{selector}={pattern}" for selector, pattern in match) or "all"


def remaining(expires_at: str | None, now: datetime) -> str | None:
    """Say how long it is until a time of RFC 3339, such as `in 9m`; None where there is none."""
    if expires_at is None:
        return None
    try:
        seconds = round((datetime.fromisoformat(expires_at) - now).total_seconds())
    except (TypeError, ValueError):
        return expires_at
    if seconds <= 0:
        return "expired"
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * size:
            return f"in {seconds // size}{unit}"
    return f"in {seconds}s"


def _match(entries: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(one.get("selector")), str(one.get("pattern"))) for one in entries or ())
