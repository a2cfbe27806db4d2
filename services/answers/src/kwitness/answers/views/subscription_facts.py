"""Makes subscriptions of resources, and of what the operator saw at the brokers; pure.

A KafkaCluster's status lists the first subscriptions that its brokers have, ours and foreign, and its collector knows
all; those of this installation are resources, too, which say more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from kwitness.contracts.envelopes import SubscriptionState
from kwitness.contracts.resources.broker_subscriptions import BrokerSubscriptions
from kwitness.contracts.resources.durations import duration_text
from kwitness.contracts.resources.meta import ObjectMeta
from kwitness.subscriptions.broker_names import owner_of, resource_of, selector_of

__all__ = ["Subscription", "matched", "of_collector", "of_resource", "of_status", "remaining", "subscriptions"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscription; ``ready`` and what follows is known of those of this installation alone.

    Attributes
    ----------
    namespace
        Of the resource; None without one.
    cluster_namespace, cluster
        The KafkaCluster.
    unsent
        Prefixes of which no client sends a metric.
    """

    name: str
    namespace: str | None
    cluster_namespace: str
    cluster: str
    owner: str
    interval: str | None
    metrics: tuple[str, ...]
    match: tuple[tuple[str, str], ...]
    metrics_left_out: int = 0
    unsent: tuple[str, ...] = ()
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
            "unsentPrefixes": list(self.unsent) or None,
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
    conditions = {entry.get("type"): entry for entry in status.get("conditions") or ()}
    ready = conditions.get("Ready") or {}
    return Subscription(
        name=body["metadata"]["name"],
        namespace=body["metadata"]["namespace"],
        cluster_namespace=spec["clusterRef"].get("namespace") or body["metadata"]["namespace"],
        cluster=spec["clusterRef"]["name"],
        owner="Ours",
        interval=spec.get("interval"),
        metrics=tuple(spec.get("metrics") or ()),
        match=_match(spec.get("match")),
        unsent=tuple(status.get("unsentPrefixes") or ()),
        ready=ready.get("status"),
        reason=ready.get("reason"),
        message=ready.get("message"),
        clients=status.get("clients") or {},
        expires_at=status.get("expiresAt"),
        broker_resource=status.get("brokerResource"),
    )


def of_status(cluster: ObjectMeta, held: BrokerSubscriptions) -> Iterator[Subscription]:
    """Yield what the brokers of a KafkaCluster have, as far as its status lists them."""
    for entry in held.first:
        resource = entry.resource
        yield Subscription(
            name=entry.name if resource is None else resource.name,
            namespace=None if resource is None else resource.namespace,
            cluster_namespace=cluster.namespace,
            cluster=cluster.name,
            owner=entry.owner,
            interval=entry.interval,
            metrics=entry.metrics,
            metrics_left_out=entry.metrics_left_out or 0,
            match=tuple((match.selector, match.pattern) for match in entry.match),
            broker_resource=entry.name,
        )


def of_collector(
    cluster: ObjectMeta, held: BrokerSubscriptions, states: Iterable[SubscriptionState]
) -> Iterator[Subscription]:
    """Yield what the brokers of a KafkaCluster have, as its collector knows them."""
    for state in states:
        if (definition := state.definition) is None:
            continue
        resource = resource_of(held.prefix, state.id)
        yield Subscription(
            name=state.id if resource is None else resource.name,
            namespace=None if resource is None else resource.namespace,
            cluster_namespace=cluster.namespace,
            cluster=cluster.name,
            owner=owner_of(held.prefix, state.id),
            interval=duration_text(timedelta(milliseconds=definition.interval_ms)),
            metrics=definition.metrics,
            match=tuple((selector_of(key), pattern) for key, pattern in sorted(definition.match.items())),
            unsent=state.unsent_prefixes,
            clients=state.clients.model_dump(exclude_none=True),
            broker_resource=state.id,
        )


def subscriptions(resources: Iterable[Mapping[str, Any]], of_brokers: Iterable[Subscription]) -> list[Subscription]:
    """Return those of resources, and what brokers have beside them; ours first, then by name."""
    own = [of_resource(body) for body in resources]
    known = {(row.namespace, row.name) for row in own}
    others = [row for row in of_brokers if row.owner != "Ours" or (row.namespace, row.name) not in known]
    order = ("Ours", "OtherInstallation", "Foreign")
    return [
        *own,
        *sorted(others, key=lambda row: (order.index(row.owner) if row.owner in order else len(order), row.name)),
    ]


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
    return tuple((str(entry.get("selector")), str(entry.get("pattern"))) for entry in entries or ())
