"""What an observer reports, within which bounds, and where to: the part of its settings that no mode changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.observer_settings import (
    CollectorAddress,
    IdentitySettings,
    LimitSettings,
    ReportSettings,
    RequestSettings,
)
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.observation import EVENTS_PER_SECOND, ObserverEntry
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.kinds.observer_deployment.environment import CollectorOfObserver
from kwitness.runtime.child_names import collector_peer_host

__all__ = ["Reported", "collector_address", "reported"]


class Reported(TypedDict):
    """Fields of `ObserverSettings`."""

    window_ms: int
    report: ReportSettings
    identity: IdentitySettings
    limits: LimitSettings


def reported(resource: ObserverDeployment) -> Reported:
    """Translate what the resource says of reports."""
    spec, limits = resource.spec, resource.spec.limits
    return {
        "window_ms": round(parse_duration(spec.window).total_seconds() * 1000),
        "report": _report(spec.observers),
        "identity": IdentitySettings.model_validate(
            {"drop": [name for name, treatment in spec.identity if treatment == "Drop"]}
        ),
        "limits": LimitSettings(
            max_connections=limits.max_connections,
            max_frame_bytes=limits.max_frame_bytes,
            max_series=limits.max_series,
            queue_bytes=limits.queue_bytes,
            max_rewrite_bytes=limits.max_rewrite_bytes,
        ),
    }


def collector_address(collector: CollectorOfObserver, *, authority: str, token: str) -> CollectorAddress:
    """Where events go; ``authority`` and ``token`` are paths in the observer's container."""
    metadata, spec = collector.resource.metadata, collector.resource.spec
    scheme = "https" if spec.ingest.tls.secret_ref is not None else "http"
    # The name of one replica, with a place for its number.
    host = collector_peer_host(metadata.name, metadata.namespace, 0).replace("-0.", "-{ordinal}.", 1)
    return CollectorAddress(
        url=f"{scheme}://{host}:{COLLECTOR_PORT}",
        replicas=spec.replicas,
        ca_file=None if collector.authority is None else authority,
        token_file=token,
    )


def _report(observers: Iterable[ObserverEntry]) -> ReportSettings:
    entries = {entry.type: entry for entry in observers}
    return ReportSettings(
        connections="Connections" in entries,
        traffic="Traffic" in entries,
        latency="Latency" in entries,
        requests=_requests(entries["Requests"]) if "Requests" in entries else None,
    )


def _requests(entry: ObserverEntry) -> RequestSettings:
    return RequestSettings(apis=entry.apis or (), events_per_second=entry.events_per_second or EVENTS_PER_SECOND)
