"""What an observer is told to report."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.contracts.observer_settings import ReportSettings, RequestSettings
from kwitness.contracts.resources.observation import EVENTS_PER_SECOND, ObserverEntry

__all__ = ["report_settings"]


def report_settings(observers: Iterable[ObserverEntry]) -> ReportSettings:
    """Translate spec.observers."""
    entries = {entry.type: entry for entry in observers}
    return ReportSettings(
        connections="Connections" in entries,
        traffic="Traffic" in entries,
        latency="Latency" in entries,
        requests=_requests(entries["Requests"]) if "Requests" in entries else None,
    )


def _requests(entry: ObserverEntry) -> RequestSettings:
    return RequestSettings(apis=entry.apis or (), events_per_second=entry.events_per_second or EVENTS_PER_SECOND)
