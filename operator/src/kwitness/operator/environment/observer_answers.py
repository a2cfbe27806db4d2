"""Find where observers answer clients' telemetry in the brokers' place, so that these need not take subscriptions."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.environment.clusters import referring
from kwitness.operator.shapes.work import View

__all__ = ["answering_namespaces", "is_answered"]


def answering_namespaces(cluster: KafkaCluster, view: View) -> frozenset[str]:
    """Return the namespaces of ObserverDeployments that may name the cluster, have telemetry Terminate and act."""
    found = referring(ObserverDeployment, cluster, view)
    return frozenset(
        observer.metadata.namespace
        for observer in found
        if observer.spec.telemetry == "Terminate" and not observer.spec.suspend
    )


def is_answered(namespace: str, cluster: KafkaCluster, answering: frozenset[str]) -> bool:
    """Return whether observers ask for the subscriptions of a namespace: its own, or those of the KafkaCluster's."""
    return not answering.isdisjoint({namespace, cluster.metadata.namespace})
