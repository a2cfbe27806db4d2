"""Converts a HeaderRegistry of v1alpha1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["to_v1beta1"]


def to_v1beta1(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resource of v1beta1, without status."""
    return {**{name: value for name, value in resource.items() if name != "status"}, "apiVersion": API_VERSION}
