"""Where what a sidecar saw comes from: the pod in its token, and the workload that it names and the pod bears out."""

from __future__ import annotations

from typing import NamedTuple

from kwitness.contracts.envelopes import EventsHead, WorkloadName

__all__ = ["Origin", "believed", "origin_of"]


class Origin(NamedTuple):
    """A cluster, and the pod whose clients were seen there, each by its identity key; an empty one is not known.

    All but the first are known of sidecars alone: other observers stand in pods that are not their clients'.
    """

    cluster_id: str
    k8s_namespace: str = ""
    k8s_workload: str = ""
    k8s_pod: str = ""


def believed(workload: WorkloadName | None, pod: str) -> str | None:
    """Return the workload's name if the pod has that name, or one that goes on with a hyphen, as controllers make it.

    What the token says of a pod is its name alone; whatever else the observer says of it, its owner may have chosen.
    """
    if workload is not None and (pod == workload.name or pod.startswith(f"{workload.name}-")):
        return workload.name
    return None


def origin_of(head: EventsHead) -> Origin:
    """Return where totals come from; that the head's source is the token's was checked before."""
    if head.observer.mode != "sidecar":
        return Origin(head.cluster_id)
    namespace, _, pod = head.source.partition("/")
    return Origin(head.cluster_id, namespace, believed(head.workload, pod) or "", pod)
