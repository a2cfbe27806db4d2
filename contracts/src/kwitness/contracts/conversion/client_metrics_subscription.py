"""Converts a ClientMetricsSubscription of v1alpha1 to v1beta1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["to_v1beta1"]


def to_v1beta1(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resource as v1beta1: its spec as it is, and no status, which the operator writes again."""
    return {**{name: value for name, value in resource.items() if name != "status"}, "apiVersion": API_VERSION}
