"""What would become of a pod that is made now: the API server asks admission, and makes none."""

from __future__ import annotations

from typing import Any

from kwitness.demo.platform import Platform
from kwitness.e2e.api_objects import ApiRefusedError


def annotations_of(platform: Platform, pod: dict[str, Any]) -> dict[str, str]:
    """Those that it would have, the injector's among them; none where Pod Security refuses it.

    So a test waits until both know what it has just changed. A real pod that is refused would stop injection.
    """
    pods = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
    try:
        made = platform.cluster.objects.ask("POST", pods, params={"dryRun": "All"}, json=pod)
    except ApiRefusedError as refused:
        if "violates PodSecurity" not in str(refused):
            raise
        return {}
    return dict(made["metadata"].get("annotations") or {})
