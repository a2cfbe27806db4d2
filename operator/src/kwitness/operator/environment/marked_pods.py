"""Which of the selected pods were given what a resource wants them to have, by the marks that the injector leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.injections import parse_left_out
from kwitness.contracts.resources.label_selector import LabelSelector
from kwitness.operator.environment.injector import restart_line
from kwitness.operator.model.pod_marks import Mark, PodMarks

__all__ = ["LeftOut", "MarkedPods", "Wanted", "marked_pods"]

_MOST_LINES: Final = 20
_MOST_REASONS: Final = 32


@dataclass(frozen=True, slots=True)
class Wanted:
    """What pods that ``selector`` selects are to have: that of ``owner``, as ``digest`` says.

    ``refused_in`` are namespaces where a restart would not help.
    """

    owner: str
    digest: str
    selector: LabelSelector
    refused_in: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Pods that did not get it for one reason; ``example`` is <namespace>/<name> of one."""

    reason: str
    pods: int
    example: str


@dataclass(frozen=True, slots=True)
class MarkedPods:
    """Pods by what they have; ``outdated`` are those of ``given`` that started before the present settings.

    ``missed`` started without though they could have it; ``restart`` are the commands after which these and the
    outdated have it.
    """

    selected: int
    given: tuple[PodMarks, ...]
    outdated: int
    missed: int
    left_out: tuple[LeftOut, ...]
    restart: tuple[str, ...]


def marked_pods(wanted: Wanted, pods: Iterable[tuple[PodMarks, Mark]]) -> MarkedPods:
    """Tell pods of the namespaces that are meant apart, each with the mark that is asked about."""
    given: list[PodMarks] = []
    outdated = missed = 0
    reasons: Counter[str] = Counter()
    examples: dict[str, str] = {}
    restart: set[str] = set()
    selected = [one for one in pods if wanted.selector.matches(one[0].labels)]
    for pod, mark in sorted(selected, key=lambda one: (one[0].namespace, one[0].name)):
        if mark.owner == wanted.owner:
            given.append(pod)
            if mark.digest == wanted.digest:
                continue
            outdated += 1
        else:
            reason = _reason(pod, mark, wanted.owner)
            if reason is not None:
                reasons[reason] += 1
                examples.setdefault(reason, f"{pod.namespace}/{pod.name}")
                continue
            missed += 1
        line = restart_line(pod)
        if line is not None and pod.namespace not in wanted.refused_in:
            restart.add(line)
    return MarkedPods(
        selected=len(selected),
        given=tuple(given),
        outdated=outdated,
        missed=missed,
        left_out=tuple(
            LeftOut(reason, count, examples[reason]) for reason, count in sorted(reasons.items())[:_MOST_REASONS]
        ),
        restart=tuple(sorted(restart)[:_MOST_LINES]),
    )


def _reason(pod: PodMarks, mark: Mark, owner: str) -> str | None:
    """Why a pod has nothing of ours; None where it started too early, or while the injector was away."""
    if pod.opted_out:
        return "OptedOut"
    if (said := parse_left_out(mark.left_out).get(owner)) is not None:
        return said
    return "Conflict" if mark.owner is not None else None
