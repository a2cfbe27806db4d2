"""Who sends, and where what was seen in a pod comes from: the pod in the token, and the workload that it bears out."""

from __future__ import annotations

from typing import NamedTuple

from kwitness.contracts.envelopes import EventsHead, InterceptorsHead, WorkloadName
from kwitness.contracts.observers import ReportedBy

__all__ = ["Origin", "Sender", "believed", "origin_of"]


class Sender(NamedTuple):
    """Whose token it was: ``source`` is <namespace>/<pod>, ``reported_by`` what its rows are marked with.

    ``observes`` says whether it may send what observers do; interceptors' events may come from all.
    """

    source: str
    cluster_id: str
    reported_by: ReportedBy
    observes: bool = True

    @property
    def namespace(self) -> str:
        """The pod's namespace."""
        return self.source.partition("/")[0]

    @property
    def pod(self) -> str:
        """The pod's name."""
        return self.source.partition("/")[2]


class Origin(NamedTuple):
    """A cluster, and the pod whose clients were seen there, each by its identity key; an empty one is not known.

    All but the first are known of sidecars and interceptors alone: other observers stand in pods that are not their
    clients'.
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


def origin_of(head: EventsHead | InterceptorsHead) -> Origin:
    """Return where totals come from; that the head's source is the token's was checked before."""
    if isinstance(head, EventsHead) and head.observer.mode != "sidecar":
        return Origin(head.cluster_id)
    namespace, pod, *_ = head.source.split("/")
    return Origin(head.cluster_id, namespace, believed(head.workload, pod) or "", pod)
