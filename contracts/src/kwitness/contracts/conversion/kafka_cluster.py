"""Converts a KafkaCluster of v1alpha1 to v1beta1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["convert_spec"]

_ON_CREATE = ("partitions", "replicationFactor", "retention")


def convert_spec(former: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of v1beta1.

    An ``authentication.type`` that never had an effect stays, and the API server refuses it.
    """
    spec = {**former, **_connection(former)}
    if "topics" in spec:
        spec["topics"] = _topics(spec["topics"])
    return spec


def _connection(spec: Mapping[str, Any]) -> dict[str, Any]:
    if "tls" not in spec:
        return {}
    tls = dict(spec["tls"])
    converted: dict[str, Any] = {"tls": tls}
    is_plaintext = tls.pop("insecurePlaintext", False)
    if "enabled" in tls:
        converted["tls"] = {"mode": "Required" if tls.pop("enabled") else "Disabled", **tls}
    if is_plaintext:
        converted["authentication"] = {**spec.get("authentication", {}), "insecurePlaintext": True}
    return converted


def _topics(topics: Mapping[str, Any]) -> dict[str, Any]:
    on_create = {name: topics[name] for name in _ON_CREATE if name in topics}
    rest = {name: value for name, value in topics.items() if name not in _ON_CREATE}
    return {**rest, "onCreate": on_create} if on_create else rest
