"""Finds what of a subscription's risk does not count, by the KafkaClusters that bound it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.failure import NotPermittedError
from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.subscriptions.risk_rule import tightest

__all__ = ["risk_warnings"]


def risk_warnings(access: ClusterAccess, cluster: KafkaCluster, created: Mapping[str, Any]) -> list[str]:
    """Return in sentences what a subscription accepts and the KafkaCluster, or one that rules it, does not."""
    bounds, unknown = _risk_bounds(access, cluster)
    rule = tightest(bounds, parsed(ClientMetricsSubscription, created))
    return [*unknown, *([] if rule.too_loose is None else [rule.too_loose])]


def _risk_bounds(access: ClusterAccess, cluster: KafkaCluster) -> tuple[list[KafkaCluster], list[str]]:
    """Return ``cluster`` and, where another one rules, that one; a sentence where that one may not be read."""
    status = cluster.status
    ruling = next((found for found in (status.conditions if status else ()) if found.type == "Rules"), None)
    if status is None or ruling is None or ruling.status != "False":
        return [cluster], []
    try:
        bodies = access.items("KafkaCluster", None)
    except NotPermittedError as error:
        return [cluster], [f"{ruling.message}. Its riskPolicy counts too and is not known here: {error}"]
    return [cluster, *(parsed(KafkaCluster, body) for body in bodies if _rules(body, status.cluster_id))], []


def _rules(body: Mapping[str, Any], cluster_id: str | None) -> bool:
    status = body.get("status") or {}
    conditions = ((found.get("type"), found.get("status")) for found in status.get("conditions") or ())
    return cluster_id is not None and status.get("clusterId") == cluster_id and ("Rules", "True") in conditions
