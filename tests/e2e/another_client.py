"""Clients like one of the demo's, under names of their own."""

from __future__ import annotations

from typing import Any

import yaml

from kwitness.demo import manifests
from kwitness.demo.platform import APPS, SIDECAR_WORKLOAD, Platform


def deployment(platform: Platform, name: str, *, like: str = SIDECAR_WORKLOAD) -> dict[str, Any]:
    """A Deployment like that one, to be changed and applied; without, like that which stands beside an observer."""
    text = manifests.client(like, platform.images).replace(like, name)
    found: dict[str, Any] = yaml.safe_load(text)
    found["metadata"]["namespace"] = APPS
    return found
