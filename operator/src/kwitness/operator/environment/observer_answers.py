"""Whether observers answer clients' telemetry in the brokers' place, so that these need not take subscriptions."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.environment.clusters import referring
from kwitness.operator.shapes.work import View

__all__ = ["is_answered_by_observers"]


def is_answered_by_observers(cluster: KafkaCluster, view: View) -> bool:
    """Whether an ObserverDeployment that may name the cluster, and is not suspended, has telemetry Terminate."""
    found = referring(ObserverDeployment, cluster, view)
    return any(one.spec.telemetry == "Terminate" and not one.spec.suspend for one in found)
