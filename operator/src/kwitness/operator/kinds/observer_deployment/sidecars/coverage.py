"""Which of the selected pods have an observer, from their marks and from what their observers told the collector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.envelopes import ObserverState
from kwitness.contracts.injections import parse_left_out
from kwitness.contracts.resources.observer_deployment import LeftOutPods, PodCoverage
from kwitness.operator.environment.injector import restart_line
from kwitness.operator.model.pod_marks import PodMarks
from kwitness.operator.model.store import Key

__all__ = ["Selection", "pod_coverage"]

_MOST_LINES: Final = 20
_MOST_REASONS: Final = 32
_PATIENCE_MS: Final = 300_000


@dataclass(frozen=True, slots=True)
class Selection:
    """Pods of the namespaces that an ObserverDeployment acts in, and which of them it means.

    ``config_hash`` is what a pod that starts now is marked with. ``refused_in`` are namespaces where a restart would
    not help.
    """

    owner: Key
    pods: tuple[PodMarks, ...]
    labels: Mapping[str, str]
    config_hash: str
    refused_in: tuple[str, ...] = ()


def pod_coverage(selection: Selection, own: Iterable[ObserverState], now_ms: int) -> PodCoverage:
    """Count them; ``own`` are the observers of this ObserverDeployment that the collector heard from lately."""
    observed = outdated = missed = 0
    reasons: Counter[str] = Counter()
    examples: dict[str, str] = {}
    restart: set[str] = set()
    selected = [one for one in selection.pods if selection.labels.items() <= one.labels.items()]
    for pod in sorted(selected, key=lambda one: (one.namespace, one.name)):
        if pod.observer == str(selection.owner):
            observed += 1
            if pod.config_hash == selection.config_hash:
                continue
            outdated += 1
        else:
            reason = _reason(pod, str(selection.owner))
            if reason is not None:
                reasons[reason] += 1
                examples.setdefault(reason, f"{pod.namespace}/{pod.name}")
                continue
            missed += 1
        line = restart_line(pod)
        if line is not None and pod.namespace not in selection.refused_in:
            restart.add(line)
    return PodCoverage(
        selected=len(selected),
        observed=observed,
        outdated=outdated,
        missed=missed,
        silent=sum(_is_silent(one, now_ms) for one in own),
        left_out=tuple(
            LeftOutPods(reason=reason, pods=count, example=examples[reason])
            for reason, count in sorted(reasons.items())[:_MOST_REASONS]
        ),
        restart=tuple(sorted(restart)[:_MOST_LINES]),
    )


def _reason(pod: PodMarks, owner: str) -> str | None:
    """Why a pod without our observer has none; None where it started too early, or while the injector was away."""
    if pod.opted_out:
        return "OptedOut"
    if (said := parse_left_out(pod.left_out).get(owner)) is not None:
        return said
    return "Conflict" if pod.observer is not None else None


def _is_silent(one: ObserverState, now_ms: int) -> bool:
    """Whether nobody has connected to an observer since its start five minutes ago."""
    return now_ms - one.epoch >= _PATIENCE_MS and one.connections == 0 and one.ledger.accepted == 0
