"""Decide which TelemetryCollector acts for a Kafka cluster, and which takes what a namespace's resources report.

The owner of the KafkaCluster decides on the first. Any other that may name the cluster acts for its own namespace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .kafka_cluster import KafkaCluster
from .precedence import precedence
from .telemetry_collector import TelemetryCollector

__all__ = ["collector_of_cluster", "collector_of_namespace"]


def collector_of_cluster(cluster: KafkaCluster, collectors: Iterable[TelemetryCollector]) -> TelemetryCollector | None:
    """Return the one that acts for the whole cluster, of ``collectors`` that name it and may; None if there is none.

    It is that of ``spec.collectorRef``, or else the first of the KafkaCluster's namespace.
    """
    reference, home = cluster.spec.collector_ref, cluster.metadata.namespace
    if reference is None:
        return _first(collectors, home)
    at = reference.namespace or home
    return _first((found for found in collectors if found.metadata.name == reference.name), at)


def collector_of_namespace(
    namespace: str, cluster: KafkaCluster, collectors: Collection[TelemetryCollector]
) -> TelemetryCollector | None:
    """Return the one that takes what resources of ``namespace`` report: the namespace's own, or else the cluster's.

    ``collectors`` are as for `collector_of_cluster`.
    """
    acting = collector_of_cluster(cluster, collectors)
    if acting is not None and acting.metadata.namespace == namespace:
        return acting
    return _first(collectors, namespace) or acting


def _first(collectors: Iterable[TelemetryCollector], namespace: str) -> TelemetryCollector | None:
    """Of a namespace, by priority and then name."""
    found = (collector for collector in collectors if collector.metadata.namespace == namespace)
    return min(found, key=lambda rival: precedence(rival.spec.priority, rival.metadata.name), default=None)
