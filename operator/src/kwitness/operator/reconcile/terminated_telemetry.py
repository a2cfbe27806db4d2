"""Whether observers answer clients' telemetry in the brokers' place, so that these need not take subscriptions."""

from __future__ import annotations

from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.context import Context
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_of
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.references import referred_cluster

__all__ = ["is_answered_by_observers"]


async def is_answered_by_observers(context: Context, cluster: Key) -> bool:
    """Whether an ObserverDeployment that may name the cluster, and is not suspended, has telemetry Terminate.

    Raises
    ------
    KubernetesUnavailableError
        The labels of a namespace could not be read.
    """
    for key, body in context.store.items("ObserverDeployment"):
        if cluster_of(key, body) != cluster:
            continue
        try:
            resource = parse_resource(ObserverDeployment, body)
            await referred_cluster(context, key.namespace, resource.spec.cluster_ref)
        except KubernetesUnavailableError:
            raise
        except OperatorError:
            # Its own status says what is wrong.
            continue
        if resource.spec.telemetry == "Terminate" and not resource.spec.suspend:
            return True
    return False
