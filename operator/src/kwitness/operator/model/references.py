"""Which KafkaCluster a resource names, and whether it may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.references import ClusterRef
from kwitness.operator.model.store import Key

__all__ = ["cluster_key", "cluster_of", "depends_on_labels", "may_refer"]


def cluster_key(namespace: str, reference: ClusterRef) -> Key:
    """The KafkaCluster that a resource of ``namespace`` names."""
    return Key(reference.namespace or namespace, reference.name)


def cluster_of(key: Key, body: Mapping[str, Any] | None) -> Key | None:
    """The KafkaCluster that a body at ``key`` names, if it names one."""
    reference = ((body or {}).get("spec") or {}).get("clusterRef")
    return Key(reference.get("namespace") or key.namespace, reference.get("name", "")) if reference else None


def depends_on_labels(cluster: KafkaCluster, namespace: str) -> bool:
    """Whether the labels of ``namespace`` decide if it may refer to ``cluster``."""
    return namespace != cluster.metadata.namespace and cluster.spec.allowed_namespaces.from_ == "Selector"


def may_refer(cluster: KafkaCluster, namespace: str, labels: Mapping[str, str] | None) -> bool:
    """Whether resources of ``namespace``, which has ``labels`` (None: unknown), may refer to ``cluster``."""
    allowed = cluster.spec.allowed_namespaces
    if namespace == cluster.metadata.namespace or allowed.from_ == "All":
        return True
    if allowed.from_ != "Selector" or allowed.selector is None:
        return False
    return labels is not None and allowed.selector.matches(labels)
