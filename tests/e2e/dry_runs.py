"""What would become of a pod that is made now: the API server asks admission, and makes none."""

from __future__ import annotations

import json
from typing import Any

from kwitness.demo.platform import Platform
from kwitness.images.commands import CommandFailedError


def annotations_of(platform: Platform, pod: dict[str, Any]) -> dict[str, str]:
    """Those that it would have, the injector's among them; none where Pod Security refuses it.

    So a test waits until both know what it has just changed. A real pod that is refused would stop injection.
    """
    trying = ("create", "--dry-run=server", "--output=json", "--filename=-")
    try:
        made = json.loads(platform.cluster.kubectl(*trying, input=json.dumps(pod)))
    except CommandFailedError as failed:
        if "violates PodSecurity" not in failed.output:
            raise
        return {}
    return dict(made["metadata"].get("annotations") or {})
