"""Find the KafkaClusters that bound the risk of a subscription."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.failure import NotPermittedError
from kwitness.cli.output import warn
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

__all__ = ["risk_bounds"]


def risk_bounds(access: ClusterAccess, cluster: KafkaCluster) -> list[KafkaCluster]:
    """Return ``cluster`` and, where another one rules, that one; warn where that one may not be read."""
    status = cluster.status
    ruling = next((found for found in (status.conditions if status else ()) if found.type == "Rules"), None)
    if status is None or ruling is None or ruling.status != "False":
        return [cluster]
    try:
        bodies = access.items("KafkaCluster", None)
    except NotPermittedError as error:
        warn(f"{ruling.message}. Its riskPolicy counts too and is not known here: {error}")
        return [cluster]
    return [cluster, *(parsed(KafkaCluster, body) for body in bodies if _rules(body, status.cluster_id))]


def _rules(body: Mapping[str, Any], cluster_id: str | None) -> bool:
    status = body.get("status") or {}
    conditions = ((found.get("type"), found.get("status")) for found in status.get("conditions") or ())
    return cluster_id is not None and status.get("clusterId") == cluster_id and ("Rules", "True") in conditions
