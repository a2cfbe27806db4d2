"""Selects, of the reports that a collector has, those that are recent and those of a resource's own pods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from kwitness.contracts.envelopes import InterceptorState, ObserverState
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.desired.sidecar_reach import may_act_in
from kwitness.operator.settings import OperatorSettings

__all__ = ["of_resource", "recent_reports"]

R = TypeVar("R", ObserverState, InterceptorState)

_SILENT_MS: Final = 60_000
"""Milliseconds after which a pod counts as gone; it speaks every 5 s."""


def recent_reports(reports: Iterable[R], now_ms: int) -> tuple[R, ...]:
    """Return reports of pods that the collector heard from within a minute."""
    return tuple(report for report in reports if now_ms - report.last_heard_ms <= _SILENT_MS)


def of_resource(
    reports: Iterable[R], resource: ObserverDeployment | InterceptorProfile, settings: OperatorSettings
) -> tuple[R, ...]:
    """Return reports that name a resource; where it may not act, a pod that names it is none of its own."""
    at = (resource.metadata.namespace, resource.metadata.name)
    naming = (report for report in reports if (report.namespace, report.name) == at)
    return tuple(report for report in naming if may_act_in(resource, report.pod_namespace, settings))
