"""Lists the kinds that the operator reads and writes, with their paths at the API server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["TYPES", "ResourceType"]


@dataclass(frozen=True, slots=True)
class ResourceType:
    """Path of a kind at the API server."""

    api_version: str
    plural: str

    def path(self, namespace: str | None, name: str | None = None) -> str:
        """The URL path of the collection, or of one object."""
        root = f"/api/{self.api_version}" if "/" not in self.api_version else f"/apis/{self.api_version}"
        scope = f"/namespaces/{namespace}" if namespace else ""
        return f"{root}{scope}/{self.plural}" + (f"/{name}" if name else "")


TYPES: Final[Mapping[str, ResourceType]] = {
    "ConfigMap": ResourceType("v1", "configmaps"),
    "Deployment": ResourceType("apps/v1", "deployments"),
    "Event": ResourceType("events.k8s.io/v1", "events"),
    "KafkaTopic": ResourceType("kafka.strimzi.io/v1", "kafkatopics"),
    "KafkaUser": ResourceType("kafka.strimzi.io/v1", "kafkausers"),
    "Job": ResourceType("batch/v1", "jobs"),
    "Lease": ResourceType("coordination.k8s.io/v1", "leases"),
    "CronJob": ResourceType("batch/v1", "cronjobs"),
    "Namespace": ResourceType("v1", "namespaces"),
    "NetworkPolicy": ResourceType("networking.k8s.io/v1", "networkpolicies"),
    "Pod": ResourceType("v1", "pods"),
    "PersistentVolumeClaim": ResourceType("v1", "persistentvolumeclaims"),
    "PodDisruptionBudget": ResourceType("policy/v1", "poddisruptionbudgets"),
    "Secret": ResourceType("v1", "secrets"),
    "Service": ResourceType("v1", "services"),
    "ServiceAccount": ResourceType("v1", "serviceaccounts"),
    "ServiceMonitor": ResourceType("monitoring.coreos.com/v1", "servicemonitors"),
    "StatefulSet": ResourceType("apps/v1", "statefulsets"),
    **{info.kind: ResourceType(API_VERSION, info.plural) for info in KINDS},
}
"""Every kind the operator touches."""
