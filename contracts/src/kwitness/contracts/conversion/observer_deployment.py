"""Converts an ObserverDeployment of v1alpha1, whose three modes shared one flat spec, to v1beta1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .identity import identity_to_v1beta1

__all__ = ["convert_spec"]

_OF_THE_BLOCK: Final = {
    "Gateway": ("replicas", "caSecretRef"),
    "Sidecar": ("selector", "namespaceSelector", "containers", "env", "transparent", "basePort"),
    "Broker": ("selector",),
}
"""By mode, fields that were beside it and are in its block."""
_LONGEST_QUEUE: Final = 17_179_869_184


def convert_spec(former: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of v1beta1."""
    old = {name: value for name, value in former.items() if value is not None}
    mode = old.pop("mode")
    name = mode.lower()
    block = {field: old.pop(field) for field in _OF_THE_BLOCK[mode] if field in old}
    block |= _addresses(old.pop(name, {})) if mode == "Gateway" else old.pop(name, {})
    references = {field: old.pop(field) for field in ("clusterRef", "listenerRef") if field in old}
    if "identity" in old:
        old["identity"] = identity_to_v1beta1(old["identity"])
    if old.get("limits", {}).get("queueBytes", 0) > _LONGEST_QUEUE:
        old["limits"] = {**old["limits"], "queueBytes": _LONGEST_QUEUE}
    return {**references, name: block, **old}


def _addresses(gateway: Mapping[str, Any]) -> dict[str, Any]:
    new = {field: value for field, value in gateway.items() if field != "insecurePlaintext" and value is not None}
    return {**new, "tls": {"mode": "Disabled"}} if gateway.get("insecurePlaintext") else new
