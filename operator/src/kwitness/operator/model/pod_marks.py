"""What a pod's metadata says of its observer, of its interceptors, and of what the pod belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.injections import CONFIG_HASH, INJECT, LEFT_OUT, OBSERVER
from kwitness.contracts.interceptor_injections import INTERCEPTORS, INTERCEPTORS_HASH, INTERCEPTORS_LEFT_OUT
from kwitness.contracts.observer_settings import WorkloadSettings
from kwitness.contracts.workloads import workload_of

__all__ = ["Mark", "PodMarks", "pod_marks"]

_MIRROR: Final = "kubernetes.io/config.mirror"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a pod was given of one sort: whose it is, the hash of it, and whose was left out, as the pod has it."""

    owner: str | None = None
    digest: str | None = None
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class PodMarks:
    """One pod. Whoever makes pods can write such marks too, so they are good for a status and for nothing else."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    observer: Mark = Mark()
    interceptors: Mark = Mark()
    opted_out: bool = False
    workload: WorkloadSettings | None = None


def pod_marks(metadata: Mapping[str, Any]) -> PodMarks | None:
    """Read them; None for a pod that the kubelet made from a file, and for one that is being deleted."""
    annotations = metadata.get("annotations") or {}
    if _MIRROR in annotations or "deletionTimestamp" in metadata:
        return None
    labels = dict(metadata.get("labels") or {})
    return PodMarks(
        namespace=metadata["namespace"],
        name=metadata["name"],
        labels=labels,
        observer=Mark(annotations.get(OBSERVER), annotations.get(CONFIG_HASH), annotations.get(LEFT_OUT, "")),
        interceptors=Mark(
            annotations.get(INTERCEPTORS),
            annotations.get(INTERCEPTORS_HASH),
            annotations.get(INTERCEPTORS_LEFT_OUT, ""),
        ),
        opted_out="false" in (labels.get(INJECT), annotations.get(INJECT)),
        workload=workload_of(metadata),
    )
