"""Carries out what a decision does beside children and statuses."""

from __future__ import annotations

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import DIRECTIVES_PATH, INTERCEPTOR_DIRECTIVES_PATH
from kwitness.operator.context import Context
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import ApplyAlone, AskInventory, GrowClaim, TellInterceptors, TellObservers
from kwitness.operator.shapes.facts import Applied, Attempt

__all__ = ["attempt", "attempt_of", "perform"]


async def perform(context: Context, action: TellObservers | TellInterceptors | AskInventory) -> None:
    """Carry it out; raises `OperatorError` if the collector does not take it."""
    if isinstance(action, AskInventory):
        context.enqueue("Inventory", action.cluster, 0.0)
        return
    if isinstance(action, TellObservers):
        path = DIRECTIVES_PATH.format(namespace=action.observers.namespace, name=action.observers.name)
    else:
        path = INTERCEPTOR_DIRECTIVES_PATH.format(namespace=action.profile.namespace, name=action.profile.name)
    await context.inventory.put(
        context.collector_url(action.collector, action.encrypted) + path,
        action.directives.model_dump(exclude_none=True),
        audience=inventory_audience(action.collector.namespace, action.collector.name),
        ca_certificates=action.authority,
    )


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
