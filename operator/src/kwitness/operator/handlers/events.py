"""Watch events into the store and the queues: the only handlers registered with kopf.

``on.event`` alone writes no annotation and sets no finalizer; the other decorators do one or the other.
"""

from __future__ import annotations

from typing import Any, Final

import kopf

from kwitness.contracts.resources.meta import GROUP, VERSION
from kwitness.operator.adapters.kubernetes import TYPES
from kwitness.operator.context import Context
from kwitness.operator.store import Key

__all__ = ["KINDS", "receive", "register"]

KINDS: Final = (
    "KafkaCluster",
    "ClientMetricsSubscription",
    "TelemetryCollector",
    "AnalyticsJob",
    "ObserverDeployment",
    "InterceptorProfile",
    "HeaderRegistry",
)


def register(registry: kopf.OperatorRegistry, context: Context) -> None:
    """Have kopf watch our kinds."""
    for kind in KINDS:
        kopf.on.event(GROUP, VERSION, TYPES[kind].plural, registry=registry, id=kind)(_handler(context, kind))


def _handler(context: Context, kind: str) -> Any:
    async def on_event(event: dict[str, Any], **_: Any) -> None:
        receive(context, kind, event)

    return on_event


def receive(context: Context, kind: str, event: dict[str, Any]) -> None:
    """Store the object (or forget it) and wake whoever is concerned; an echo of our own write wakes nobody."""
    body = {**event["object"], "metadata": dict(event["object"]["metadata"])}
    key = Key(body["metadata"]["namespace"], body["metadata"]["name"])
    before = context.store.get(kind, key)
    if event["type"] == "DELETED":
        context.store.remove(kind, key)
    elif not context.store.put(kind, body):
        return
    for cluster in {_cluster(key, body), _cluster(key, before)} if _has_cluster(kind) else ():
        if cluster is not None:
            _wake_dependents(context, kind, cluster)
    if kind != "ClientMetricsSubscription":
        context.enqueue(kind, key, 0.0)


def _wake_dependents(context: Context, kind: str, cluster: Key) -> None:
    if kind == "ClientMetricsSubscription":
        context.enqueue(kind, cluster, 0.0)
    if kind == "TelemetryCollector":
        # A collector that came or went changes what is known about clients, and who holds the cluster.
        context.enqueue("Inventory", cluster, 0.0)
        for other, body in context.store.items(kind):
            if _cluster(other, body) == cluster:
                context.enqueue(kind, other, 0.0)


def _has_cluster(kind: str) -> bool:
    return kind in {"ClientMetricsSubscription", "TelemetryCollector"}


def _cluster(key: Key, body: dict[str, Any] | None) -> Key | None:
    reference = (body or {}).get("spec", {}).get("clusterRef")
    return Key(reference.get("namespace") or key.namespace, reference.get("name", "")) if reference else None
