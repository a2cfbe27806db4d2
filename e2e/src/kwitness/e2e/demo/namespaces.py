"""Namespaces that enforce Pod Security `restricted`."""

from __future__ import annotations

from typing import Any

OWNER = "kwitness.dev/demo"
"""Label of what the demo made, so that `demo-down` removes nothing else on a cluster that is not ours."""


def restricted(name: str) -> dict[str, Any]:
    """A namespace whose pods must be restricted, marked as the demo's."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {
                OWNER: "true",
                "pod-security.kubernetes.io/enforce": "restricted",
                "pod-security.kubernetes.io/warn": "restricted",
            },
        },
    }
