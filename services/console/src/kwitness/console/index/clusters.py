"""Selects the ids of Kafka clusters that the collector knows."""

from __future__ import annotations

from typing import Final

from kwitness.console.index.database import Database

__all__ = ["known_clusters"]

_CLUSTERS: Final = """
SELECT DISTINCT cluster_id FROM (SELECT cluster_id FROM traffic UNION SELECT cluster_id FROM clients
UNION SELECT cluster_id FROM connections) WHERE cluster_id IS NOT NULL
"""


def known_clusters(database: Database) -> set[str]:
    """Return the ids; the collector of a console has one cluster."""
    return {row["cluster_id"] for row in database.rows(_CLUSTERS)}
