"""Which of the selected pods have the interceptors, from their marks and from what processes told the collector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from kwitness.contracts.envelopes import InterceptorState
from kwitness.contracts.injections import parse_left_out
from kwitness.contracts.interceptor_injections import InterceptorInjection, interceptor_injection_hash
from kwitness.contracts.interceptors import InterceptorRuntime
from kwitness.contracts.resources.interceptor_profile import (
    InterceptedPods,
    ProcessRuntime,
    ReportingProcess,
    SkippedPods,
)
from kwitness.operator.environment.injector import restart_line
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
    injected = outdated = missed = silent = 0
    reasons: Counter[str] = Counter()
    examples: dict[str, str] = {}
    restart: set[str] = set()
    heard = {(one.pod_namespace, one.pod) for one in own}
    selected = [one for one in pods if injection.pod_labels.items() <= one.labels.items()]
    for pod in sorted(selected, key=lambda one: (one.namespace, one.name)):
        if pod.interceptors == injection.owner:
            injected += 1
            silent += (pod.namespace, pod.name) not in heard
            if pod.interceptors_hash == digest:
                continue
            outdated += 1
        else:
            reason = _reason(pod, injection.owner)
            if reason is not None:
                reasons[reason] += 1
                examples.setdefault(reason, f"{pod.namespace}/{pod.name}")
                continue
            missed += 1
        line = restart_line(pod)
        if line is not None and pod.namespace not in injection.refused_in:
            restart.add(line)
    return InterceptedPods(
        selected=len(selected),
        injected=injected,
        outdated=outdated,
        missed=missed,
        silent=silent,
        left_out=tuple(
            SkippedPods(reason=reason, pods=count, example=examples[reason])
            for reason, count in sorted(reasons.items())[:_MOST_REASONS]
        ),
        restart=tuple(sorted(restart)[:_MOST_LINES]),
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


def _reason(pod: PodMarks, owner: str) -> str | None:
    """Why a pod without our interceptors has none; None where it started too early, or while the injector was away."""
    if pod.opted_out:
        return "OptedOut"
    if (said := parse_left_out(pod.interceptors_left_out).get(owner)) is not None:
        return said
    return "Conflict" if pod.interceptors is not None else None
