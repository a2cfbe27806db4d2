"""Carries out what a decision does beside children and statuses."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import DIRECTIVES_PATH, INTERCEPTOR_DIRECTIVES_PATH, OBSERVER_SUBSCRIPTIONS_PATH
from kwitness.operator.context import Context
from kwitness.operator.shapes.actions import Telling, TellInterceptors, TellObservers, TellSubscriptions

__all__ = ["perform"]


async def perform(context: Context, action: Telling) -> None:
    """Carry it out; raises `OperatorError` if the collector does not take it."""
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
            return path, directives.model_dump(exclude_none=True)
        case TellSubscriptions(observers, subscriptions=subscriptions):
            path = OBSERVER_SUBSCRIPTIONS_PATH.format(namespace=observers.namespace, name=observers.name)
            return path, subscriptions.model_dump(mode="json")
        case TellInterceptors(profile, directives=directives):
            path = INTERCEPTOR_DIRECTIVES_PATH.format(namespace=profile.namespace, name=profile.name)
            return path, directives.model_dump(exclude_none=True)
