"""What each subscription that asks for something is told, once it is planned what is on the brokers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from kwitness.operator.desired.shared_intervals import interval_warnings
from kwitness.operator.desired.subscription_expiry import expired_verdict, expires_ms
from kwitness.operator.desired.subscription_plan import SubscriptionPlan, Wanted
from kwitness.operator.desired.subscription_status import (
    at_risk_entries,
    held_verdict,
    retained_verdict,
    risk_warnings,
    unknown_risk_verdict,
)
from kwitness.operator.kinds.client_metrics_subscription.verdicts import Judged, own_fields
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.moments import rfc3339
from kwitness.operator.model.store import Subject
from kwitness.operator.shapes.facts import Body
from kwitness.operator.shapes.work import Note
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["Standing", "judge"]

_STEP_SECONDS: Final = 60
"""The time of the last sighting moves with every look; a step keeps the status from being rewritten."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What was planned and what is the case; ``to_observers`` are asked by these, as the brokers refuse them."""

    plan: SubscriptionPlan
    errors: Mapping[str, OperatorError]
    statuses: Mapping[str, Mapping[str, Any]]
    present: Mapping[str, Mapping[str, str]]
    all: tuple[BrokerSubscription, ...]
    names: Mapping[str, str]
    to_observers: Mapping[str, Mapping[str, str]]
    removed: frozenset[str]
    """Names of configs about which the last that we did was to remove them."""
    unknown: str | None
    cluster_name: str
    paused: bool


def judge(one: Wanted, body: Body, known: Standing) -> Judged:
    """Decide what it is told."""
    name, subject = one.subscription.id, Subject.of(body)
    status = known.statuses.get(name, {})
    warnings = risk_warnings(one.risk)
    fields = {**own_fields(body, name), "warnings": warnings}
    if name in known.plan.waiting:
        verdict = unknown_risk_verdict(known.unknown or "", one.risk, stands=name in known.present)
        return Judged(subject, verdict, {**fields, "atRiskClients": status.get("atRiskClients")})
    error = known.errors.get(name)
    if error is not None:
        return Judged(subject, _refused(error, to_observers=name in known.to_observers), fields)
    if known.paused and name in known.plan.changes:
        verdict = Verdict("Ready", "Unknown", "Paused", "a change waits: the KafkaCluster is paused by its annotation")
        return Judged(subject, verdict, fields)
    if one.suspended or one.expired:
        return _kept_off(one, body, known, fields)
    if name in known.plan.held:
        return _held(one, subject, known, status, fields)
    fields["warnings"] = [*interval_warnings(one.subscription, known.all, known.names), *warnings]
    return Judged(subject, ready("Applied", f"on the broker as {name}"), fields)


def _refused(error: OperatorError, *, to_observers: bool) -> Verdict:
    if not to_observers:
        return failure(error)
    message = f"observers ask clients for it in the brokers' place, which do not take it: {error.message}"
    return ready("AskedByObservers", message)


def _held(one: Wanted, subject: Subject, known: Standing, status: Mapping[str, Any], fields: dict[str, Any]) -> Judged:
    name = one.subscription.id
    found = known.plan.held[name]
    verdict = held_verdict(found, one.risk)
    old = {
        (entry["clientSoftwareName"], entry["clientSoftwareVersion"]): entry
        for entry in status.get("atRiskClients", ())
    }
    fields["atRiskClients"] = [_steady(entry, old) for entry in at_risk_entries(found, rfc3339)]
    notes: tuple[Note, ...] = ()
    if not old:
        action = "Withdraw" if name in known.removed else "Hold"
        notes = (Note(reason="ClientsAtRisk", about="", action=action, message=verdict.message),)
    return Judged(subject, verdict, fields, notes)


def _steady(entry: dict[str, Any], old: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    before = old.get((entry["clientSoftwareName"], entry["clientSoftwareVersion"]))
    if before is None:
        return entry
    moved = datetime.fromisoformat(entry["lastSeen"]) - datetime.fromisoformat(before["lastSeen"])
    return entry if moved.total_seconds() >= _STEP_SECONDS else before


def _kept_off(one: Wanted, body: Body, known: Standing, fields: dict[str, Any]) -> Judged:
    subject = Subject.of(body)
    if one.subscription.id in known.plan.retained:
        why = "the time of spec.expireAfter is over" if one.expired else "spec.suspend is true"
        return Judged(subject, retained_verdict(why), fields)
    if not one.expired:
        whose = "" if body["spec"].get("suspend") else f" of KafkaCluster {known.cluster_name}"
        return Judged(subject, ready("Suspended", f"not on the broker, as spec.suspend{whose} says"), fields)
    verdict = expired_verdict(body, expires_ms(body) or 0)
    conditions = (body.get("status") or {}).get("conditions", ())
    said = any(one["type"] == "Ready" and one["reason"] == verdict.reason for one in conditions)
    notes = () if said else (Note(reason="Expired", about="", action="Expire", message=verdict.message, type="Normal"),)
    return Judged(subject, verdict, fields, notes)
