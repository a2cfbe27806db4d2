"""What a pod belongs to, by its metadata alone: whose name says more than the pod's own, and what can be restarted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from .observer_settings import WorkloadSettings

__all__ = ["workload_of", "workload_path"]

_MADE_BY: Final[Mapping[str, str]] = {
    "pod-template-hash": "Deployment",
    "rollouts-pod-template-hash": "Rollout",
}
"""Which kind makes ReplicaSets whose pods have that label: their names end with its value."""
_SCHEDULED_DIGITS: Final = 8
_FIRST_SCHEDULE: Final = 25_000_000
"""Minutes since 1970 that name a CronJob's Jobs; dates such as 20260131 are lower."""


def workload_path(namespace: str, workload: WorkloadSettings) -> str:
    """Return what names a workload among all namespaces: <namespace>/<kind>/<name>."""
    return f"{namespace}/{workload.kind}/{workload.name}"


def workload_of(metadata: Mapping[str, Any]) -> WorkloadSettings | None:
    """Return what the pod with this ``metadata`` belongs to; None for a pod by itself.

    A ReplicaSet stands for the Deployment that its name and the pod's label tell of, a Job that is named after a
    minute for its CronJob.
    """
    controllers = [one for one in metadata.get("ownerReferences") or () if one.get("controller")]
    if not controllers:
        return None
    kind, name = str(controllers[0].get("kind")), str(controllers[0].get("name"))
    if kind == "ReplicaSet":
        labels = metadata.get("labels") or {}
        for label, maker in _MADE_BY.items():
            suffix = f"-{labels.get(label)}"
            if label in labels and name.endswith(suffix) and name != suffix:
                kind, name = maker, name.removesuffix(suffix)
                break
    elif kind == "Job":
        stem, _, digits = name.rpartition("-")
        if stem and digits.isdecimal() and len(digits) == _SCHEDULED_DIGITS and int(digits) >= _FIRST_SCHEDULE:
            kind, name = "CronJob", stem
    try:
        return WorkloadSettings(kind=kind, name=name)
    except ValidationError:
        # An admission plugin of another maker may write what it likes.
        return None
