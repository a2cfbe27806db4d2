"""Names of the objects made for a resource, which several of our processes must know to find each other."""

from __future__ import annotations

import hashlib
from typing import Final

__all__ = [
    "cluster_memory_name",
    "collector_name",
    "collector_peer_host",
    "collector_replicas_name",
    "cut_name",
    "gateway_name",
    "gateway_ports_name",
    "job_name",
    "observer_host_name",
]

_STATEFUL_SET: Final = 52
"""Characters: the label ``controller-revision-hash`` is the name and up to 11 more, and has at most 63."""

_LABEL: Final = 63
"""Characters of a Service's name."""

_OBJECT: Final = 253
"""Characters of any other object's name."""


def cut_name(name: str, limit: int) -> str:
    """Return ``name``, or where it is longer than ``limit`` its beginning and 8 hex digits of the whole one's hash."""
    if len(name) <= limit:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: limit - 9].rstrip('-.')}-{digest}"


def cluster_memory_name(kafka_cluster: str) -> str:
    """Name of the ConfigMap that remembers what must not be forgotten of a KafkaCluster."""
    return cut_name(f"kwitness-cluster-{kafka_cluster}", _OBJECT)


def collector_name(collector: str) -> str:
    """Name of a TelemetryCollector's StatefulSet, Service, ConfigMap and policies."""
    return cut_name(f"kwitness-collector-{collector}", _STATEFUL_SET)


def collector_replicas_name(collector: str) -> str:
    """Name of the headless Service that gives each replica a name."""
    return cut_name(f"{collector_name(collector)}-replicas", _LABEL)


def collector_peer_host(collector: str, namespace: str, ordinal: int) -> str:
    """Host name of one replica."""
    return f"{collector_name(collector)}-{ordinal}.{collector_replicas_name(collector)}.{namespace}.svc"


def job_name(job: str) -> str:
    """Name of an AnalyticsJob's StatefulSet, headless Service and ConfigMap."""
    return cut_name(f"kwitness-job-{job}", _STATEFUL_SET)


def gateway_name(observer_deployment: str) -> str:
    """Name of a gateway's Deployment, Service, ServiceAccount, ConfigMap and policy."""
    return cut_name(f"kwitness-gateway-{observer_deployment}", _LABEL)


def gateway_ports_name(observer_deployment: str) -> str:
    """Name of the ConfigMap that remembers which broker has which port of a gateway."""
    return f"{gateway_name(observer_deployment)}-ports"


def observer_host_name(observer_deployment: str) -> str:
    """Name of an observer host's Deployment and ConfigMap."""
    return cut_name(f"kwitness-host-{observer_deployment}", _LABEL)
