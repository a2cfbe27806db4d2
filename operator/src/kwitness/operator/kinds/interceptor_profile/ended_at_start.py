"""Finds workloads whose pods ended at their start with the interceptors, since the profile was changed last."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.interceptor_profile import EndedWorkload, InterceptorProfile, InterceptorProfileStatus
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.parse_resource import parse_status
from kwitness.operator.model.pod_starts import Ending, ended_workloads
from kwitness.operator.model.store import Subject
from kwitness.operator.shapes.facts import Body, EnabledNamespaces, InterceptedStarts
from kwitness.operator.shapes.work import View

__all__ = ["ended_at_start", "starts_of", "starts_well"]

_MOST: Final = 100


def starts_of(resource: InterceptorProfile, view: View) -> tuple[InterceptedStarts, ...]:
    """Return the facts that tell how pods with this profile's interceptors start."""
    enabled = view.get(EnabledNamespaces())
    namespaces = acts_in(resource, (enabled.value if enabled is not None else None) or {}, view.settings)
    return tuple(InterceptedStarts(namespace, str(resource.spec.selector)) for namespace in namespaces)


def ended_at_start(body: Body, resource: InterceptorProfile, digest: str, view: View) -> tuple[EndedWorkload, ...]:
    """Return what the status remembers of this generation, and workloads whose pods end so now: at most 100.

    So injection stops there before anything is written, and stays off when the pods are gone and after a restart.
    """
    subject = Subject.of(body)
    status = parse_status(InterceptorProfileStatus, body)
    remembered = status.ended_at_start if status.observed_generation == subject.generation else ()
    answers = [view.get(fact) for fact in starts_of(resource, view)]
    pods = [pod for answer in answers if answer is not None for pod in answer.value or ()]
    found = {entry.workload: entry for entry in remembered}
    for workload, pod in sorted(ended_workloads(str(subject.key), digest, pods).items()):
        if workload not in found and len(found) < _MOST and pod.ending is not None:
            own = pod.namespace == subject.key.namespace
            found[workload] = EndedWorkload(
                workload=workload, pod=pod.name, last_words=_words(pod.ending, with_message=own)
            )
    return tuple(found[workload] for workload in sorted(found))


def _words(ending: Ending, *, with_message: bool) -> str:
    """Return the exit code and reason; what the container wrote is for its own namespace alone."""
    words = f"container {ending.container}, exit code {ending.exit_code}"
    words += f", {ending.reason}" if ending.reason else ""
    return f"{words}: {ending.message}" if with_message and ending.message else words


def starts_well(ended: tuple[EndedWorkload, ...]) -> tuple[Verdict, ...]:
    """Return the condition that tells where injection was stopped; none where it was not."""
    if not ended:
        return ()
    first = ended[0]
    more = f" and {len(ended) - 1} more in status.endedAtStart" if len(ended) > 1 else ""
    message = (
        f"pods of {first.workload}{more} ended at their start with the interceptors, so their next pods get none:"
        f" delete such pods or restart the workload. {first.pod} ended with {first.last_words}. A Java runtime needs"
        " the module java.instrument, else name runtimes without java by the annotation kwitness.dev/runtimes; a change"
        " of this resource's spec tries again"
    )
    return (Verdict("PodsStart", "False", "EndedAtStart", message),)
