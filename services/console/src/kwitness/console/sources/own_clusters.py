"""Tells the Kafka cluster of the console's own collector from those of others."""

from __future__ import annotations

from kwitness.answers.access.collector_access import CollectorRoute
from kwitness.answers.access.pod_route import PodRoute
from kwitness.console.index.database import Database

__all__ = ["own_clusters"]


def own_clusters(collector: CollectorRoute, database: Database) -> set[str]:
    """Return the id in the collector's rows, and in a pod that of its KafkaCluster, also before the collector answers.

    Raises
    ------
    CommandFailedError
        The API server cannot be reached.
    """
    known = database.row("SELECT cluster_id FROM summary")["cluster_id"]
    named = collector.cluster_id() if isinstance(collector, PodRoute) else None
    return {cluster for cluster in (known, named) if cluster is not None}
