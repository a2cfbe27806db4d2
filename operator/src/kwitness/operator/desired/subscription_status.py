"""What a ClientMetricsSubscription is told: verdicts, and the numbers of the collector's inventory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kwitness.contracts.envelopes import SubscriptionState
from kwitness.contracts.resources.durations import duration_text
from kwitness.contracts.software import librdkafka_version
from kwitness.contracts.spelling import enum_value
from kwitness.operator.desired.subscription_plan import ObservedSoftware
from kwitness.operator.model.conditions import Verdict
from kwitness.subscriptions.broker_subscription import ALL_METRICS
from kwitness.subscriptions.risk import SAFE_PREFIX
from kwitness.subscriptions.risk_rule import RiskRule

__all__ = [
    "at_risk_entries",
    "held_verdict",
    "live_fields",
    "retained_verdict",
    "risk_warnings",
    "unknown_risk_verdict",
]

_MOST = 20


def held_verdict(software: Sequence[ObservedSoftware], rule: RiskRule) -> Verdict:
    """Ready=False, because clients would crash; says whom, and how to make the subscription harmless."""
    names = ", ".join(sorted({_told(one) for one in software})[:5])
    verb = "would" if all(librdkafka_version(one.name, one.version) for one in software) else "might"
    return Verdict(
        "Ready",
        "False",
        "ClientsAtRisk",
        f"not on the broker, because clients seen within {duration_text(rule.window)} {verb} abort: {names}. Upgrade"
        f" them to librdkafka 2.10.1 or newer, keep them out by spec.match, or make spec.metrics just {SAFE_PREFIX} or"
        f" {ALL_METRICS}, with which the subscription is safe; {rule.accepted_by} accepts the risk",
    )


def _told(software: ObservedSoftware) -> str:
    count = software.connections
    connected = f" ({count} connection{'s' if count > 1 else ''} now)" if count else ""
    return f"{software.name} {software.version}{connected}"


def unknown_risk_verdict(why: str, rule: RiskRule, *, stands: bool) -> Verdict:
    """Ready=False, because it is not known whom a change could abort; ``why`` says what is missing and what to do."""
    what = "stays on the broker as it was" if stands else "not on the broker yet"
    return Verdict(
        "Ready",
        "False",
        "RiskUnknown",
        f"{what}, because it is not known whether the change would abort connected clients: {why}. Or make spec.metrics"
        f" just {SAFE_PREFIX} or {ALL_METRICS}, with which the subscription is safe; {rule.accepted_by} accepts the"
        " risk",
    )


def retained_verdict(why: str) -> Verdict:
    """Ready=False, because what should be gone, for the reason ``why``, protects clients from what is not ours."""
    return Verdict(
        "Ready",
        "False",
        "ClientsAtRisk",
        f"still on the broker though {why}: without it, a subscription that is not ours would abort"
        " librdkafka 2.5.0 to 2.5.2 clients. Upgrade them to librdkafka 2.10.1 or newer, or have that subscription"
        " removed",
    )


def risk_warnings(rule: RiskRule) -> list[dict[str, str]]:
    """``status.warnings`` about what is looser than the KafkaCluster's."""
    found = {}
    if rule.too_loose is not None:
        found["RiskTooLoose"] = rule.too_loose
    return [{"type": kind, "message": message} for kind, message in found.items()]


def at_risk_entries(software: Sequence[ObservedSoftware], rfc3339: Any) -> list[dict[str, Any]]:
    """``status.atRiskClients``, the last seen first; ``rfc3339`` renders milliseconds."""
    entries = []
    for one in sorted(software, key=lambda entry: (-entry.last_seen_ms, entry.name, entry.version))[:_MOST]:
        inside = librdkafka_version(one.name, one.version)
        entry = {
            "clientSoftwareName": one.name[:256],
            "clientSoftwareVersion": one.version[:256],
            "lastSeen": rfc3339(one.last_seen_ms),
        }
        if inside is not None:
            entry["librdkafkaVersion"] = ".".join(map(str, inside))
        entries.append(entry)
    return entries


def live_fields(state: SubscriptionState | None) -> dict[str, Any]:
    """The numbers; a number that is not known is absent."""
    if state is None:
        return {}
    silent = sorted(
        (one for one in state.silent_software if not one.ours),
        key=lambda one: (-one.connections, one.client_software_name, one.client_software_version),
    )
    clients = state.clients.model_dump(exclude_none=True)
    if state.clients.source is not None:
        clients["source"] = enum_value(state.clients.source)
    return {
        "clients": clients,
        "silentSoftware": [
            {
                "clientSoftwareName": one.client_software_name[:256],
                "clientSoftwareVersion": one.client_software_version[:256],
                "connections": one.connections,
                "reason": enum_value(one.reason),
            }
            for one in silent[:_MOST]
        ],
        "unsentPrefixes": sorted(prefix[:255] for prefix in state.unsent_prefixes)[:256],
    }
