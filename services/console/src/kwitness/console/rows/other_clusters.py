"""Selects the KafkaClusters whose clients the index does not have, since other collectors act for them."""

from __future__ import annotations

from typing import Final

from kwitness.console.index.database import Database

__all__ = ["MOST_CLUSTERS", "other_clusters"]

MOST_CLUSTERS: Final = 20
"""KafkaClusters that a page names."""
_OTHERS: Final = f"""
SELECT k8s_namespace || '/' || name AS cluster FROM resources, summary
WHERE kind = 'KafkaCluster' AND item->>'$.status.clusterId' <> cluster_id ORDER BY cluster LIMIT {MOST_CLUSTERS}
"""


def other_clusters(database: Database) -> list[str]:
    """Return KafkaClusters that lead to other Kafka clusters than that of the clients, as `NAMESPACE/NAME`.

    As long as no client is known, none is returned: the rows of clients have the id of the collector's cluster.
    """
    return [row["cluster"] for row in database.rows(_OTHERS)]
