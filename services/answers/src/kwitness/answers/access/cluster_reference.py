"""Which KafkaCluster a resource names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["cluster_of"]


def cluster_of(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return namespace and name of the KafkaCluster that ``spec.clusterRef`` names."""
    reference = body["spec"]["clusterRef"]
    return reference.get("namespace") or body["metadata"]["namespace"], reference["name"]
