"""Explain why no TelemetryCollector acts for a Kafka cluster."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster

__all__ = ["no_collector"]


def no_collector(cluster: KafkaCluster) -> str:
    """Say which is missing, and what to do."""
    name, home, reference = cluster.metadata.name, cluster.metadata.namespace, cluster.spec.collector_ref
    if reference is None:
        return (
            f"no TelemetryCollector of namespace {home} names KafkaCluster {name}: apply one there, or name one of"
            " another namespace in spec.collectorRef of the KafkaCluster"
        )
    at = f"{reference.namespace or home}/{reference.name}"
    return (
        f"TelemetryCollector {at}, which spec.collectorRef of KafkaCluster {name} names, is not there, names another"
        f" cluster, or may not name this one: apply it with clusterRef {home}/{name}, or correct collectorRef or"
        " allowedNamespaces of the KafkaCluster"
    )
