"""How resources and times of their statuses are read, whatever they lack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["condition", "named", "status_of"]


def named(resource: Mapping[str, Any]) -> str:
    """Kind, namespace and name, such as `TelemetryCollector shop/main`."""
    metadata = resource.get("metadata") or {}
    return f"{resource.get('kind', '?')} {metadata.get('namespace', '?')}/{metadata.get('name', '?')}"


def status_of(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """Its status, or an empty one."""
    return resource.get("status") or {}


def condition(resource: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    """A condition by its type."""
    return next((one for one in status_of(resource).get("conditions") or () if one.get("type") == kind), None)
