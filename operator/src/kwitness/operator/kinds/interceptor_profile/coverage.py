"""Which of the selected pods have the interceptors, from their marks and from what processes told the collector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from kwitness.contracts.envelopes import InterceptorState
from kwitness.contracts.interceptor_injections import InterceptorInjection, interceptor_injection_hash
from kwitness.contracts.interceptors import InterceptorRuntime
from kwitness.contracts.resources.interceptor_profile import (
    InterceptedPods,
    ProcessRuntime,
    ReportingProcess,
    SkippedPods,
)
from kwitness.operator.environment.marked_pods import Wanted, marked_pods
from kwitness.operator.model.pod_marks import PodMarks

__all__ = ["clients_not_through_observer", "clients_without", "intercepted_pods", "processes"]

_MOST_LINES: Final = 20
_MOST_REASONS: Final = 32
_RUNTIMES: Final[Mapping[InterceptorRuntime, ProcessRuntime]] = {
    "python": "Python",
    "java": "Java",
    "librdkafka": "Librdkafka",
}


def intercepted_pods(
    injection: InterceptorInjection, pods: Iterable[PodMarks], own: Iterable[InterceptorState]
) -> InterceptedPods:
    """Count the pods of the namespaces that are meant; ``own`` are processes that the collector heard from lately."""
    digest = interceptor_injection_hash(injection)
    wanted = Wanted(injection.owner, digest, injection.pod_selector, injection.refused_in)
    found = marked_pods(wanted, ((one, one.interceptors) for one in pods))
    heard = {(one.pod_namespace, one.pod) for one in own}
    return InterceptedPods(
        selected=found.selected,
        injected=len(found.given),
        outdated=found.outdated,
        missed=found.missed,
        silent=sum((one.namespace, one.name) not in heard for one in found.given),
        left_out=tuple(SkippedPods(reason=one.reason, pods=one.pods, example=one.example) for one in found.left_out),
        restart=found.restart,
    )


def processes(own: Iterable[InterceptorState]) -> tuple[ReportingProcess, ...]:
    """Some of the processes that report, told apart by their reporters; those of the first pods."""
    known = {one.reporter: one for one in own}
    shown = sorted(known.values(), key=lambda one: (one.pod_namespace, one.pod, one.reporter))[:_MOST_LINES]
    return tuple(
        ReportingProcess(
            reporter=one.reporter,
            pod=f"{one.pod_namespace}/{one.pod}",
            container=one.container,
            runtime=_RUNTIMES[one.runtime],
            clients=one.clients,
        )
        for one in shown
    )


def clients_without(own: Iterable[InterceptorState]) -> dict[str, int]:
    """Clients that could have no interceptors, by reason; where reasons are too many, those of the most clients."""
    return _summed(one.not_intercepted for one in own)


def clients_not_through_observer(own: Iterable[InterceptorState]) -> dict[str, int]:
    """Clients that connected by themselves though they were to connect to an observer, by reason, as many reasons."""
    return _summed(one.not_through_observer for one in own)


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for one in counts:
        counted.update(one)
    most = sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:_MOST_REASONS]
    return dict(sorted(most))
