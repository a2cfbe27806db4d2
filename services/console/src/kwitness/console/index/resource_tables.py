"""Describes the tables of Kubernetes' resources, and of subscriptions: those of resources and those at brokers."""

from __future__ import annotations

from typing import Final

from kwitness.console.index.tables import Table

__all__ = ["CHECKED", "RESOURCES", "RESOURCE_TABLES", "SUBSCRIPTIONS"]

RESOURCES: Final = Table(
    "resources",
    {"kind": "VARCHAR", "k8s_namespace": "VARCHAR", "name": "VARCHAR", "created_ms": "BIGINT", "item": "JSON"},
    namespace="k8s_namespace",
)
"""Our resources, each whole as the API server has it, but for `managedFields` and the annotation of kubectl."""
SUBSCRIPTIONS: Final = Table(
    "subscriptions",
    {
        # Of the resource; of others, of the KafkaCluster whose brokers have it. It decides who sees the row.
        "k8s_namespace": "VARCHAR",
        "namespace": "VARCHAR",
        "name": "VARCHAR",
        "cluster": "VARCHAR",
        "made_by": "VARCHAR",
        "interval": "VARCHAR",
        "metrics": ["VARCHAR"],
        "metrics_left_out": "BIGINT",
        "unsent": ["VARCHAR"],
        "match": "VARCHAR",
        "ready": "VARCHAR",
        "reason": "VARCHAR",
        "matching": "BIGINT",
        "pushing": "BIGINT",
        "silent": "BIGINT",
        "expires_at": "VARCHAR",
        "created_ms": "BIGINT",
        "ending": "BOOLEAN",
        "broker_resource": "VARCHAR",
    },
    namespace="k8s_namespace",
)
"""Subscriptions to client metrics; those of others have no resource, so no namespace of their own."""
CHECKED: Final = Table(
    "checked",
    {
        "place": "BIGINT",
        "check": "VARCHAR",
        "severity": "VARCHAR",
        "subject": "VARCHAR",
        "message": "VARCHAR",
        "remedy": "VARCHAR",
    },
    namespace=None,
)
"""Findings of the doctor's checks about the installation, by their order."""
RESOURCE_TABLES: Final = (RESOURCES, SUBSCRIPTIONS, CHECKED)
