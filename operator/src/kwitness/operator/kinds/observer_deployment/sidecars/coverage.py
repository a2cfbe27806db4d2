"""Which of the selected pods have an observer, from their marks and from what their observers told the collector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kwitness.contracts.envelopes import ObserverState
from kwitness.contracts.resources.observer_deployment import LeftOutPods, PodCoverage
from kwitness.operator.environment.marked_pods import Wanted, marked_pods
from kwitness.operator.model.pod_marks import PodMarks

__all__ = ["pod_coverage"]

_PATIENCE_MS: Final = 300_000


def pod_coverage(wanted: Wanted, pods: Iterable[PodMarks], own: Iterable[ObserverState], now_ms: int) -> PodCoverage:
    """Count them; ``own`` are the observers of this ObserverDeployment that the collector heard from lately."""
    found = marked_pods(wanted, ((one, one.observer) for one in pods))
    return PodCoverage(
        selected=found.selected,
        observed=len(found.given),
        outdated=found.outdated,
        missed=found.missed,
        silent=sum(_is_silent(one, now_ms) for one in own),
        left_out=tuple(LeftOutPods(reason=one.reason, pods=one.pods, example=one.example) for one in found.left_out),
        restart=found.restart,
    )


def _is_silent(one: ObserverState, now_ms: int) -> bool:
    """Whether nobody has connected to an observer since its start five minutes ago."""
    return now_ms - one.epoch >= _PATIENCE_MS and one.connections == 0 and one.ledger.accepted == 0
