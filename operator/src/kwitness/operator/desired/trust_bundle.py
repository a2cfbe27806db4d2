"""Mounts the CA certificates of the Helm values into pods, and names them to programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kwitness.operator.pod_values import TrustBundle

__all__ = ["with_trust_bundle"]

_NAME: Final = "trust-bundle"
_FOLDER: Final = "/etc/kwitness/trust-bundle"
_FILE: Final = "ca.crt"
_VARIABLES: Final = {"SSL_CERT_FILE": f"{_FOLDER}/{_FILE}", "SSL_CERT_DIR": "/etc/ssl/certs"}
"""OpenSSL trusts the file and what the folder has; a program that is given a file of its own trusts neither."""


def with_trust_bundle(template: Mapping[str, Any], bundle: TrustBundle | None) -> dict[str, Any]:
    """Return a pod template whose first container trusts ``bundle`` beside the system's CA certificates."""
    if bundle is None:
        return dict(template)
    spec = template["spec"]
    container, *others = spec["containers"]
    reference = {
        "name": bundle.config_map,
        "items": [{"key": bundle.key, "path": _FILE}],
        "defaultMode": 0o444,
    }
    mount = {"name": _NAME, "mountPath": _FOLDER, "readOnly": True}
    variables = [{"name": name, "value": value} for name, value in _VARIABLES.items()]
    first = {
        **container,
        "env": [*container.get("env", []), *variables],
        "volumeMounts": [*container["volumeMounts"], mount],
    }
    return {
        **template,
        "spec": {
            **spec,
            "containers": [first, *others],
            "volumes": [*spec["volumes"], {"name": _NAME, "configMap": reference}],
        },
    }
