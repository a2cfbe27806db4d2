"""Carries out what a decision does beside children and statuses."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import (
    CLIENT_PODS_PATH,
    DIRECTIVES_PATH,
    INTERCEPTOR_DIRECTIVES_PATH,
    OBSERVER_SUBSCRIPTIONS_PATH,
)
from kwitness.operator.context import Context
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.broker_configs import show_subscriptions
from kwitness.operator.reconcile.forsaken_clusters import forsake
from kwitness.operator.reconcile.references import deleted_subscriptions_of
from kwitness.operator.shapes.actions import (
    ApplyAlone,
    AskInventory,
    Forsake,
    GrowClaim,
    SendClientPods,
    ShowSubscriptions,
    Telling,
    TellInterceptors,
    TellObservers,
    TellSubscriptions,
)
from kwitness.operator.shapes.facts import Applied, Attempt

__all__ = ["attempt", "attempt_of", "perform", "tell"]


async def perform(context: Context, action: Telling | AskInventory) -> None:
    """Carry it out; raises `OperatorError` if the collector does not take it."""
    if isinstance(action, AskInventory):
        context.enqueue("Inventory", action.cluster, 0.0)
        return
    path, body = _what(action)
    await context.inventory.put(
        context.collector_url(action.collector, action.encrypted) + path,
        body,
        audience=inventory_audience(action.collector.namespace, action.collector.name),
        ca_certificates=action.authority,
    )


def _what(action: Telling) -> tuple[str, dict[str, Any]]:
    match action:
        case TellObservers(observers, directives=directives):
            path = DIRECTIVES_PATH.format(namespace=observers.namespace, name=observers.name)
            return path, directives.model_dump(mode="json", exclude_defaults=True)
        case TellSubscriptions(observers, subscriptions=subscriptions):
            path = OBSERVER_SUBSCRIPTIONS_PATH.format(namespace=observers.namespace, name=observers.name)
            return path, subscriptions.model_dump(mode="json")
        case SendClientPods(pods=pods):
            return CLIENT_PODS_PATH, pods.model_dump(mode="json")
        case TellInterceptors(profile, directives=directives):
            path = INTERCEPTOR_DIRECTIVES_PATH.format(namespace=profile.namespace, name=profile.name)
            return path, directives.model_dump(mode="json", exclude_defaults=True)


def tell(context: Context, what: ShowSubscriptions | Forsake) -> None:
    """Let others know what was decided."""
    if isinstance(what, ShowSubscriptions):
        show_subscriptions(context, what)
        return
    forsake(context, what.cluster)
    if not context.forsaken.get(what.cluster):
        for gone in deleted_subscriptions_of(context, what.cluster):
            # There is no connection by which anything could be removed.
            context.store.forget_deletion("ClientMetricsSubscription", gone)


async def attempt(context: Context, action: GrowClaim | ApplyAlone) -> None:
    """Carry out what may be refused; raises `OperatorError` if it was."""
    if isinstance(action, GrowClaim):
        await context.kubernetes.grow_claim(action.key, action.size, uid=action.uid)
    else:
        await context.kubernetes.apply(action.body)


def attempt_of(action: GrowClaim | ApplyAlone) -> Attempt:
    """The fact that tells how it ended."""
    if isinstance(action, GrowClaim):
        return Attempt(action)
    metadata = action.body["metadata"]
    key = Key(metadata["namespace"], metadata["name"])
    return Attempt(Applied(action.body["kind"], key, fingerprint(action.body)))
