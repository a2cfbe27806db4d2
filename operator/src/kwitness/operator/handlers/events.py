"""Watch events into the store and the queues: the only handlers registered with kopf.

``on.event`` alone writes no annotation and sets no finalizer; the other decorators do one or the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import kopf

from kwitness.contracts import resources
from kwitness.contracts.resources.meta import GROUP, VERSION
from kwitness.operator.adapters.resource_types import TYPES
from kwitness.operator.context import Context
from kwitness.operator.model.references import cluster_of
from kwitness.operator.model.store import Key, Store
from kwitness.operator.shapes.facts import Every, Referring, Watched

__all__ = ["KINDS", "receive", "register"]

KINDS: Final = tuple(info.kind for info in resources.KINDS)


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
        if not context.store.remove(kind, key, body["metadata"].get("uid")) and before is not None:
            # kopf keeps the order of one object's events only; a later one of the same name was told of before.
            return
        context.forget(kind, key)
        body["metadata"]["generation"] = None
    elif not context.store.put(kind, body):
        return
    context.told(Watched(kind, key))
    context.told(Every(kind))
    clusters = {found for found in (cluster_of(key, body), cluster_of(key, before)) if found is not None}
    for cluster in clusters:
        context.told(Referring(kind, cluster))
    for woken, at in _concerned(context.store, kind, key, clusters, changed=_generation(body) != _generation(before)):
        context.enqueue(woken, at, 0.0)


def _concerned(store: Store, kind: str, key: Key, clusters: set[Key], *, changed: bool) -> Iterator[tuple[str, Key]]:
    """Queues and keys that an event of ``kind`` at ``key``, with references to ``clusters``, concerns."""
    match kind:
        case "ClientMetricsSubscription":
            # Subscriptions are worked on together, by cluster.
            yield from ((kind, cluster) for cluster in clusters)
            return
        case "TelemetryCollector":
            # One that came or went changes what is known about clients, and who holds the cluster.
            for cluster in clusters:
                yield "Inventory", cluster
                yield from _users(store, kind, cluster)
        case "ObserverDeployment" | "InterceptorProfile" if changed:
            # Its gateway or pods may send to the collector from now on, or no longer.
            for cluster in clusters:
                yield from _users(store, "TelemetryCollector", cluster)
                # Observers may ask clients in the brokers' place from now on, or no longer.
        case "KafkaCluster":
            # Who may refer to it, whether it is paused: all of that goes into what is written to its brokers.
            yield "ClientMetricsSubscription", key
        case _:
            pass
    yield kind, key


def _users(store: Store, kind: str, cluster: Key) -> Iterator[tuple[str, Key]]:
    return ((kind, other) for other, body in store.items(kind) if cluster_of(other, body) == cluster)


def _generation(body: dict[str, Any] | None) -> object:
    return None if body is None else body["metadata"].get("generation")
