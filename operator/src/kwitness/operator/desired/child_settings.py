"""Applies a resource's `pod` and `service` blocks to the objects that are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.pod_settings import PodSettings
from kwitness.contracts.resources.service_settings import ServiceSettings

__all__ = ["with_pod_settings", "with_service_settings"]


def with_pod_settings(template: Mapping[str, Any], settings: PodSettings) -> dict[str, Any]:
    """Return a pod template with the labels, annotations and placement that ``settings`` has."""
    placement = settings.model_dump(
        by_alias=True, exclude_none=True, include={"node_selector", "tolerations", "priority_class_name"}
    )
    return {
        **template,
        "metadata": _with_metadata(template.get("metadata", {}), settings),
        "spec": {**template["spec"], **placement},
    }


def with_service_settings(service: Mapping[str, Any], settings: ServiceSettings) -> dict[str, Any]:
    """Return a Service with the type, labels, annotations and load balancer that ``settings`` has."""
    spec = settings.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"labels", "annotations"})
    return {
        **service,
        "metadata": _with_metadata(service["metadata"], settings),
        "spec": {**service["spec"], **spec},
    }


def _with_metadata(metadata: Mapping[str, Any], settings: PodSettings | ServiceSettings) -> dict[str, Any]:
    added = {"labels": settings.labels, "annotations": settings.annotations}
    merged = {field: {**keys, **metadata.get(field, {})} for field, keys in added.items()}
    return {**metadata, **{field: keys for field, keys in merged.items() if keys}}
