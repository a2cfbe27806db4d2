"""Reads from the status of pods with interceptors whether they end at their start again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kwitness.contracts.injections import OBSERVER_CONTAINER
from kwitness.contracts.interceptor_injections import INTERCEPTORS, INTERCEPTORS_HASH
from kwitness.contracts.workloads import workload_of, workload_path
from kwitness.operator.model.moments import milliseconds_of

__all__ = ["Ending", "PodStart", "ended_workloads", "pod_start"]

_LEAST_RESTARTS: Final = 3
_START_MS: Final = 10_000
"""A container that ran for longer was started; a runtime without the agent's library ends within a second."""
_FRESH_MS: Final = 15 * 60_000
"""What ends later after its pod began has run before."""
_MOST_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Ending:
    """The last end of a container; ``message`` is what the kubelet kept of its output, the end of it, in one line."""

    container: str
    exit_code: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class PodStart:
    """A pod with interceptors, ``owner`` and ``digest`` as marked; ``ending`` is None unless it ends at its start.

    ``workload`` is <namespace>/<kind>/<name> of what makes such pods.
    """

    namespace: str
    name: str
    workload: str
    owner: str
    digest: str
    is_ready: bool = False
    ending: Ending | None = None


def pod_start(pod: Mapping[str, Any]) -> PodStart | None:
    """Read a pod; None for one without interceptors, by itself, or that is being deleted."""
    metadata = pod["metadata"]
    annotations = metadata.get("annotations") or {}
    workload = workload_of(metadata)
    if INTERCEPTORS not in annotations or workload is None or "deletionTimestamp" in metadata:
        return None
    status = pod.get("status") or {}
    began_ms = milliseconds_of(status.get("startTime"))
    return PodStart(
        namespace=metadata["namespace"],
        name=metadata["name"],
        workload=workload_path(metadata["namespace"], workload),
        owner=annotations[INTERCEPTORS],
        digest=annotations.get(INTERCEPTORS_HASH, ""),
        is_ready=any(
            condition.get("type") == "Ready" and condition.get("status") == "True"
            for condition in status.get("conditions") or ()
        ),
        ending=next((ending for entry in _containers(status) if (ending := _ending(entry, began_ms))), None),
    )


def _containers(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for field in ("initContainerStatuses", "containerStatuses"):
        for entry in status.get(field) or ():
            if not str(entry.get("name", "")).startswith(OBSERVER_CONTAINER):
                yield entry


def _ending(entry: Mapping[str, Any], pod_began_ms: int) -> Ending | None:
    state = entry.get("state") or {}
    ended = state.get("terminated") or (entry.get("lastState") or {}).get("terminated") or {}
    began_ms, ended_ms = milliseconds_of(ended.get("startedAt")), milliseconds_of(ended.get("finishedAt"))
    if (
        "running" in state
        or int(entry.get("restartCount") or 0) < _LEAST_RESTARTS
        or not ended.get("exitCode")
        or ended.get("reason") == "OOMKilled"
        or not 0 <= ended_ms - began_ms <= _START_MS
        or ended_ms - pod_began_ms > _FRESH_MS
    ):
        return None
    message = " ".join(str(ended.get("message") or "").split())[-_MOST_CHARACTERS:]
    return Ending(str(entry.get("name", "")), int(ended["exitCode"]), str(ended.get("reason") or ""), message)


def ended_workloads(owner: str, digest: str, pods: Iterable[PodStart]) -> dict[str, PodStart]:
    """By workload, a pod that ends at its start with what ``owner`` gives as ``digest`` says.

    A workload is not among them while another pod of it is ready with the same: then it is not the interceptors.
    """
    given = [pod for pod in pods if (pod.owner, pod.digest) == (owner, digest)]
    sound = {pod.workload for pod in given if pod.is_ready}
    ending = sorted((pod for pod in given if pod.ending is not None), key=lambda pod: (pod.namespace, pod.name))
    return {pod.workload: pod for pod in reversed(ending) if pod.workload not in sound}
