"""Converts a TelemetryCollector of v1alpha1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .identity import identity_to_v1beta1

__all__ = ["convert_spec"]


def convert_spec(former: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of v1beta1."""
    spec = dict(former)
    spec["ingest"] = _ingest(spec["ingest"])
    if "identity" in spec:
        spec["identity"] = identity_to_v1beta1(spec["identity"])
    if "prometheus" in spec:
        spec["prometheus"] = _prometheus(spec["prometheus"])
    if "kafkaTopic" in spec:
        spec["kafkaTopic"] = {"mode": "Write" if spec["kafkaTopic"].get("enabled", True) else "Disabled"}
    if "forward" in spec:
        spec["forward"] = [_forward(forward) for forward in spec["forward"]]
    return spec


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
