"""Converts a TelemetryCollector of v1alpha1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.contracts.resources.meta import API_VERSION

from .identity import identity_to_v1beta1

__all__ = ["to_v1beta1"]


def to_v1beta1(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resource of v1beta1, without status."""
    spec = dict(resource["spec"])
    spec["ingest"] = _ingest(spec["ingest"])
    if "identity" in spec:
        spec["identity"] = identity_to_v1beta1(spec["identity"])
    if "prometheus" in spec:
        spec["prometheus"] = _prometheus(spec["prometheus"])
    if "kafkaTopic" in spec:
        spec["kafkaTopic"] = {"mode": "Write" if spec["kafkaTopic"].get("enabled", True) else "Disabled"}
    if "forward" in spec:
        spec["forward"] = [_forward(forward) for forward in spec["forward"]]
    return {
        **{name: value for name, value in resource.items() if name != "status"},
        "apiVersion": API_VERSION,
        "spec": spec,
    }


def _ingest(ingest: Mapping[str, Any]) -> dict[str, Any]:
    tls = {name: value for name, value in ingest["tls"].items() if name != "insecurePlaintext"}
    converted = {**ingest, "tls": {"mode": "Disabled"} if ingest["tls"].get("insecurePlaintext") else tls}
    for name in {"senders", "readers"} & converted.keys():
        converted[name] = _distinct(converted[name])
    return converted


def _distinct(accounts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Entries could be written twice; those of a list-map cannot."""
    return [dict(entry) for entry in dict.fromkeys(tuple(sorted(account.items())) for account in accounts)]


def _prometheus(prometheus: Mapping[str, Any]) -> dict[str, Any]:
    converted = {name: value for name, value in prometheus.items() if name != "serviceMonitor"}
    monitor = prometheus.get("serviceMonitor", {})
    if "interval" in monitor:
        converted["scrapeInterval"] = monitor["interval"]
    if monitor.get("enabled"):
        converted["serviceMonitor"] = {"labels": monitor["labels"]} if "labels" in monitor else {}
    return converted


def _forward(forward: Mapping[str, Any]) -> dict[str, Any]:
    converted = {name: value for name, value in forward.items() if name not in {"insecurePlaintext", "caSecretRef"}}
    if forward["endpoint"].startswith("http://"):
        converted["tls"] = {"mode": "Disabled"}
    elif "caSecretRef" in forward:
        converted["tls"] = {"caSecretRef": forward["caSecretRef"]}
    return converted
