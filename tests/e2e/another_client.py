"""Clients like the demo's that stands beside an observer, under names of their own."""

from __future__ import annotations

from typing import Any

import yaml

from kwitness.demo import manifests, releases
from kwitness.demo.platform import APPS, SIDECAR_WORKLOAD, Platform


def deployment(platform: Platform, name: str) -> dict[str, Any]:
    """Its Deployment, to be changed and applied."""
    images = {f"IMAGE_{key.upper().replace('-', '_')}": reference for key, reference in platform.images.items()}
    text = manifests.filled(releases.CLIENTS / f"{SIDECAR_WORKLOAD}.yaml", images).replace(SIDECAR_WORKLOAD, name)
    found: dict[str, Any] = yaml.safe_load(text)
    found["metadata"]["namespace"] = APPS
    return found
