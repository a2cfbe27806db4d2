"""Topics of the platform that are missing on a Kafka cluster."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.desired.kafka_cluster_status import wanted_topics
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.actions import CreateTopics

__all__ = ["missing_topics"]


def missing_topics(cluster: KafkaCluster, seen: ClusterDescription) -> CreateTopics | None:
    """What is to be created, None for nothing; topics that the operator may not describe may be there."""
    metadata = cluster.metadata
    missing = tuple(
        topic
        for topic in wanted_topics(cluster, len(seen.brokers))
        if topic.name not in seen.topics and topic.name not in seen.hidden_topics
    )
    if not missing:
        return None
    return CreateTopics(Key(metadata.namespace, metadata.name), metadata.uid, seen.cluster_id, missing)
