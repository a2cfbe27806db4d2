"""What a decision does beside children and statuses. Values only."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.contracts.envelopes import Directives
from kwitness.operator.model.store import Key

__all__ = ["TellInterceptors", "TellObservers"]


@dataclass(frozen=True, slots=True)
class TellObservers:
    """Directives for all observers of one ObserverDeployment, by way of the TelemetryCollector that they report to.

    ``authority`` is PEM text by which the collector's certificate is judged, None for the system's.
    """

    observers: Key
    collector: Key
    encrypted: bool
    authority: str | None
    directives: Directives


@dataclass(frozen=True, slots=True)
class TellInterceptors:
    """Likewise for all processes with the interceptors of one InterceptorProfile."""

    profile: Key
    collector: Key
    encrypted: bool
    authority: str | None
    directives: Directives
