"""Carries out what a decision does beside children and statuses."""

from __future__ import annotations

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import DIRECTIVES_PATH, INTERCEPTOR_DIRECTIVES_PATH
from kwitness.operator.context import Context
from kwitness.operator.shapes.actions import TellInterceptors, TellObservers

__all__ = ["perform"]


async def perform(context: Context, action: TellObservers | TellInterceptors) -> None:
    """Carry it out; raises `OperatorError` if the collector does not take it."""
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
