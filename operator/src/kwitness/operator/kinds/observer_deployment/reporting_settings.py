"""What an observer reports, within which bounds, and where to: the part of its settings that is the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.observer_settings import (
    HeaderSettings,
    IdentitySettings,
    LimitSettings,
    ReportSettings,
    RequestSettings,
    TelemetrySettings,
)
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.observation import EVENTS_PER_SECOND, ObserverEntry, ObserverLimits
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.desired.identity_key import dropped_and_hashed

__all__ = ["Reported", "reported"]


class Reported(TypedDict):
    """Fields of `ObserverSettings`."""

    window_ms: int
    report: ReportSettings
    identity: IdentitySettings
    limits: LimitSettings
    telemetry: TelemetrySettings | None


def reported(resource: ObserverDeployment, rules: HeaderRules, *, sasl: bool, identity_key_file: str) -> Reported:
    """Translate what the resource says of reports.

    Parameters
    ----------
    rules
        For headers.
    sasl
        Whether clients authenticate by it.
    identity_key_file
        The file with the key of hashes.
    """
    spec, limits = resource.spec, resource.spec.limits
    return {
        "window_ms": _milliseconds(spec.window),
        "report": _report(spec.observers, rules),
        "identity": IdentitySettings.model_validate(dropped_and_hashed(spec.identity, identity_key_file)),
        "limits": _limits(limits, spec.gateway, sasl=sasl),
        "telemetry": TelemetrySettings(
            max_instances=limits.max_telemetry_instances,
            max_push_bytes=limits.max_telemetry_bytes,
            sasl=sasl,
        )
        if spec.telemetry == "Terminate"
        else None,
    }


def _limits(limits: ObserverLimits, gateway: Gateway | None, *, sasl: bool) -> LimitSettings:
    """Bounds of a process; a gateway has more of them, before anyone signs in."""
    by_address = None
    if gateway is not None and gateway.service.keeps_addresses:
        by_address = max(1, limits.max_connections // 2)
    return LimitSettings(
        max_connections=limits.max_connections,
        max_frame_bytes=limits.max_frame_bytes,
        max_series=limits.max_series,
        queue_bytes=limits.queue_bytes,
        max_rewrite_bytes=limits.max_rewrite_bytes,
        max_buffer_bytes=limits.max_buffer_bytes,
        max_connections_per_address=limits.max_connections_per_address or by_address,
        max_connection_rate_per_address=limits.max_connection_rate_per_address or by_address,
        sign_in_ms=_milliseconds(limits.sign_in_timeout) if gateway is not None and sasl else None,
        idle_ms=_milliseconds(limits.idle_timeout) if gateway is not None else None,
    )


def _milliseconds(duration: str) -> int:
    return round(parse_duration(duration).total_seconds() * 1000)


def _report(observers: Iterable[ObserverEntry], rules: HeaderRules) -> ReportSettings:
    entries = {entry.type: entry for entry in observers}
    return ReportSettings(
        connections="Connections" in entries,
        traffic="Traffic" in entries,
        latency="Latency" in entries,
        requests=_requests(entries["Requests"]) if "Requests" in entries else None,
        headers=_headers(entries["Headers"], rules) if "Headers" in entries else None,
    )


def _requests(entry: ObserverEntry) -> RequestSettings:
    return RequestSettings(apis=entry.apis or (), events_per_second=entry.events_per_second or EVENTS_PER_SECOND)


def _headers(entry: ObserverEntry, rules: HeaderRules) -> HeaderSettings:
    sampling = entry.header_sampling
    return HeaderSettings(rules=rules, sample_every=sampling.sample_every, cpu_permille=sampling.cpu_percent * 10)
