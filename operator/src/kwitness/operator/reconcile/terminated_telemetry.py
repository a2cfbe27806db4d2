"""Whether observers answer clients' telemetry in the brokers' place, so that these need not take subscriptions."""

from __future__ import annotations

from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.context import Context
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.references import referring

__all__ = ["is_answered_by_observers"]


async def is_answered_by_observers(context: Context, cluster: Key) -> bool:
    """Whether an ObserverDeployment that may name the cluster, and is not suspended, has telemetry Terminate.

    Raises
    ------
    KubernetesUnavailableError
        The labels of a namespace could not be read.
    """
    async for resource in referring(context, ObserverDeployment, cluster):
        if resource.spec.telemetry == "Terminate" and not resource.spec.suspend:
            return True
    return False
