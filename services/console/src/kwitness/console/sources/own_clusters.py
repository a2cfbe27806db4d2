"""Tells the Kafka cluster of the console's own collector from those of others."""

from __future__ import annotations

from kwitness.answers.access.collector_access import CollectorRoute
from kwitness.answers.access.pod_route import PodRoute
from kwitness.console.index.clusters import known_clusters
from kwitness.console.index.database import Database

__all__ = ["own_clusters"]


def own_clusters(collector: CollectorRoute, database: Database) -> set[str]:
    """Return the ids that the collector told, and in a pod that of its KafkaCluster, also before the collector answers.

    Raises
    ------
    CommandFailedError
        The API server cannot be reached.
    """
    known = known_clusters(database)
    if isinstance(collector, PodRoute) and (named := collector.cluster_id()) is not None:
        known.add(named)
    return known
