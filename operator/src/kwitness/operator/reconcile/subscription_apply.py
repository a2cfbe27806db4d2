"""One pass of looking at a broker's CLIENT_METRICS configs, planning, writing, and judging what became of each."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from kwitness.operator import metrics
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.context import ClusterFacts, SubscriptionOutcome
from kwitness.operator.desired.shared_intervals import interval_warnings
from kwitness.operator.desired.subscription_expiry import expired_verdict, expires_ms
from kwitness.operator.desired.subscription_plan import (
    ObservedSoftware,
    SubscriptionPlan,
    Wanted,
    broker_name,
    config_hash,
    own_key,
    plan,
)
from kwitness.operator.desired.subscription_status import (
    at_risk_entries,
    held_verdict,
    retained_verdict,
    unknown_risk_verdict,
)
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import OperatorError, TransientError
from kwitness.operator.model.store import Subject
from kwitness.operator.reconcile.cluster_looks import may_write
from kwitness.operator.reconcile.events import emit
from kwitness.operator.reconcile.inventory import crashing_software
from kwitness.operator.reconcile.orphans import find_orphans
from kwitness.operator.reconcile.references import deleted_subscriptions_of
from kwitness.operator.reconcile.subscription_pass import SubscriptionPass
from kwitness.operator.reconcile.terminated_telemetry import is_answered_by_observers
from kwitness.operator.shapes.facts import AskedFor
from kwitness.subscriptions.broker_subscription import (
    BrokerSubscription,
    UnreadableSubscriptionError,
    parse,
    to_configs,
)

__all__ = ["LACKING", "apply_subscriptions"]

LACKING: Final = frozenset({"Forbidden", "Unsupported"})
"""Reasons that the brokers take no subscriptions of ours at all; in their place observers may ask clients."""
_REFUSED: Final = LACKING | {"InvalidPattern"}
"""Reasons that they do not take one of them; it may be asked by observers just as well."""
_KIND = "ClientMetricsSubscription"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Result:
    decided: SubscriptionPlan
    answers: Mapping[str, OperatorError | None]
    statuses: Mapping[str, dict[str, Any]]
    present: Mapping[str, Mapping[str, str]]
    standing: tuple[BrokerSubscription, ...]
    names: Mapping[str, str]
    to_observers: Mapping[str, Mapping[str, str]]
    """What the brokers do not take and observers ask clients for in their place."""


async def apply_subscriptions(
    work: SubscriptionPass, connection: KafkaConnection, wanted: list[Wanted]
) -> OperatorError | None:
    """Make the broker's configs what is wanted and safe, and put an outcome for each into ``work.outcomes``.

    Returns why a change of a single subscription was not carried out, if that may pass; its outcome says so too.

    Raises
    ------
    OperatorError
        When the broker could not be read or the request as a whole failed.
    """
    context, facts = work.context, work.facts
    present, refused = await _present(work, connection)
    orphans = await find_orphans(work, present)
    if refused is None:
        _forget_deletions(work, present)
    statuses = {
        broker_name(context.installation, key): body.get("status") or {} for key, body in work.resources.items()
    }
    for name in context.removed.get(work.cluster, set()) & statuses.keys():
        # What a clean-up took away is no drift, now that the cluster is back.
        statuses[name] = {field: value for field, value in statuses[name].items() if field != "appliedHash"}
    decided = plan(
        wanted=wanted,
        present=present,
        orphans=orphans,
        applied={name: status["appliedHash"] for name, status in statuses.items() if "appliedHash" in status},
        seen=_seen(facts, statuses),
        now_ms=context.clock.now_ms(),
        cluster_id=facts.cluster_id or "",
        known=facts.unknown is None,
    )
    answers: dict[str, OperatorError | None] = {}
    if refused is not None:
        answers = dict.fromkeys(decided.changes, refused)
    elif decided.changes and not facts.paused:
        uid = facts.uid
        answers = await context.kafka.alter(
            connection, decided.changes, holds=lambda: may_write(context, work.cluster, uid)
        )
    to_observers = await _to_observers(work, decided, answers)
    standing = _readable({**_after(present, decided, answers), **to_observers})
    names = _known_names(context.installation, standing)
    result = _Result(decided, answers, statuses, present, standing, names, to_observers)
    await _report(work, result, orphans)
    for one in wanted:
        work.outcomes[one.key] = await _judge(work, one, result)
    await _share(work, standing)
    context.removed.pop(work.cluster, None)
    refusals = [error for name, error in answers.items() if name not in to_observers]
    return next((error for error in refusals if isinstance(error, TransientError)), None)


def _forget_deletions(work: SubscriptionPass, present: Mapping[str, Mapping[str, str]]) -> None:
    """Of those of which nothing is on the brokers; what was applied has to be missed twice: brokers may answer late."""
    deleted = deleted_subscriptions_of(work.context, work.cluster)
    absent = frozenset(key for key in deleted if broker_name(work.context.installation, key) not in present)
    for key in absent:
        if key in work.facts.absent or "appliedHash" not in (deleted[key].get("status") or {}):
            work.context.store.forget_deletion(_KIND, key)
    work.facts.absent = absent


async def _present(
    work: SubscriptionPass, connection: KafkaConnection
) -> tuple[dict[str, dict[str, str]], OperatorError | None]:
    """What is on the broker, or why that may not be read; it need not be where observers answer in its place."""
    try:
        return await work.context.kafka.subscriptions(connection), None
    except OperatorError as error:
        if error.reason not in LACKING:
            raise
        if work.facts.subscriptions is None:
            # Whoever waits for them has nothing to wait for.
            await _share(work, ())
        if not await is_answered_by_observers(work.context, work.cluster):
            raise
        return {}, error


async def _to_observers(
    work: SubscriptionPass, decided: SubscriptionPlan, answers: Mapping[str, OperatorError | None]
) -> dict[str, Mapping[str, str]]:
    refused = {
        name: target
        for name, target in decided.changes.items()
        if target is not None and (error := answers.get(name)) is not None and error.reason in _REFUSED
    }
    return refused if refused and await is_answered_by_observers(work.context, work.cluster) else {}


def _seen(facts: ClusterFacts, statuses: Mapping[str, dict[str, Any]]) -> list[ObservedSoftware]:
    # What is remembered of the cluster and statuses together: without the permission to keep it, statuses still do.
    newest: dict[tuple[str, str], ObservedSoftware] = {}
    remembered = [
        ObservedSoftware(
            entry["clientSoftwareName"],
            entry["clientSoftwareVersion"],
            round(datetime.fromisoformat(entry["lastSeen"]).timestamp() * 1000),
        )
        for status in statuses.values()
        for entry in status.get("atRiskClients", ())
    ]
    for one in [*crashing_software(facts), *remembered]:
        known = newest.get((one.name, one.version), one)
        newest[one.name, one.version] = replace(known, last_seen_ms=max(known.last_seen_ms, one.last_seen_ms))
    return [one for _, one in sorted(newest.items())]


async def _report(work: SubscriptionPass, result: _Result, orphans: frozenset[str]) -> None:
    done = [name for name, error in result.answers.items() if error is None]
    for name in done:
        operation = "remove" if result.decided.changes[name] is None else "write"
        metrics.BROKER_WRITES.labels(operation=operation).inc()
        _log.info("Broker config changed", extra={"resource": name, "operation": operation, "key": str(work.cluster)})
    for name in orphans.intersection(done):
        if (gone := own_key(work.context.installation, name)) is not None:
            work.context.store.forget_deletion(_KIND, gone)
            if gone in work.outcomes:
                # What we took away ourselves is no drift when it comes back.
                work.outcomes[gone].fields.pop("appliedHash", None)
    if swept := sorted(orphans.intersection(done)):
        note = f"removed {', '.join(swept[:10])} from the broker: the resources are gone"
        await emit(
            work.context, "KafkaCluster", work.cluster, reason="Swept", action="Sweep", note=note, type_="Normal"
        )
    retained = tuple(sorted(result.decided.retained | (result.decided.waiting & orphans)))
    if retained != work.facts.deletion_held:
        work.facts.deletion_held = retained
        work.context.enqueue("KafkaCluster", work.cluster, 0.0)


async def _judge(work: SubscriptionPass, one: Wanted, result: _Result) -> SubscriptionOutcome:
    name, subject = one.subscription.id, Subject.of(work.resources[one.key])
    status = result.statuses.get(name, {})
    repairs = _repairs(status, subject, work.facts.outcomes.get(one.key))
    fields = _own_fields(work, one, repairs)
    as_before = {**fields, "appliedHash": status.get("appliedHash")}
    if name in result.decided.waiting:
        verdict = unknown_risk_verdict(work.facts.unknown or "", stands=name in result.present)
        return SubscriptionOutcome(subject, verdict, {**as_before, "atRiskClients": status.get("atRiskClients")})
    error = result.answers.get(name)
    if error is not None:
        return _refused(subject, error, as_before, to_observers=name in result.to_observers)
    if work.facts.paused and name in result.decided.changes:
        verdict = Verdict("Ready", "Unknown", "Paused", "a change waits: the KafkaCluster is paused by its annotation")
        return SubscriptionOutcome(subject, verdict, as_before)
    if one.suspended or one.expired:
        return await _kept_off(work, one, result, fields=fields, as_before=as_before)
    if name in result.decided.held:
        return await _held(work, one, result.decided.held[name], status, fields)
    fields["appliedHash"] = config_hash(to_configs(one.subscription), work.facts.cluster_id or "")
    if name in result.decided.drifted:
        fields["driftRepairs"] = repairs + 1
        metrics.DRIFT_REPAIRS.labels(kind=_KIND).inc()
        note = f"the broker config {name} had been changed by someone else and was put right"
        await emit(work.context, _KIND, one.key, reason="DriftRepaired", action="Repair", note=note, type_="Warning")
    fields["warnings"] = interval_warnings(one.subscription, result.standing, result.names)
    return SubscriptionOutcome(subject, ready("Applied", f"on the broker as {name}"), fields)


def _own_fields(work: SubscriptionPass, one: Wanted, repairs: int) -> dict[str, Any]:
    ends = expires_ms(work.resources[one.key])
    return {
        "brokerResource": one.subscription.id,
        "driftRepairs": repairs or None,
        "expiresAt": None if ends is None else work.context.clock.rfc3339(ends),
    }


def _refused(
    subject: Subject, error: OperatorError, fields: dict[str, Any], *, to_observers: bool
) -> SubscriptionOutcome:
    if not to_observers:
        return SubscriptionOutcome(subject, failure(error), fields)
    message = f"observers ask clients for it in the brokers' place, which do not take it: {error.message}"
    return SubscriptionOutcome(subject, ready("AskedByObservers", message), fields)


def _repairs(status: Mapping[str, Any], subject: Subject, last: SubscriptionOutcome | None) -> int:
    # Of status and memory the larger: a status that could not be written, as the object had changed, is not lost so.
    known = [status] if last is None or last.subject.uid != subject.uid else [status, last.fields]
    return max(int(one.get("driftRepairs") or 0) for one in known)


async def _held(
    work: SubscriptionPass,
    one: Wanted,
    found: tuple[ObservedSoftware, ...],
    status: dict[str, Any],
    fields: dict[str, Any],
) -> SubscriptionOutcome:
    verdict = held_verdict(found, f"{one.risk_window_ms // 3_600_000} h")
    old = {
        (entry["clientSoftwareName"], entry["clientSoftwareVersion"]): entry
        for entry in status.get("atRiskClients", ())
    }
    entries = at_risk_entries(found, work.context.clock.rfc3339)
    # The time of the last sighting moves with every look; a step of a minute keeps the status from being rewritten.
    fields["atRiskClients"] = [_steady(entry, old) for entry in entries]
    if status.get("appliedHash") or not old:
        action = "Withdraw" if status.get("appliedHash") else "Hold"
        await emit(
            work.context,
            _KIND,
            one.key,
            reason="ClientsAtRisk",
            action=action,
            note=verdict.message,
            type_="Warning",
        )
    return SubscriptionOutcome(Subject.of(work.resources[one.key]), verdict, fields)


def _steady(entry: dict[str, Any], old: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    before = old.get((entry["clientSoftwareName"], entry["clientSoftwareVersion"]))
    if before is None:
        return entry
    moved = datetime.fromisoformat(entry["lastSeen"]) - datetime.fromisoformat(before["lastSeen"])
    return entry if moved.total_seconds() >= 60 else before  # noqa: PLR2004 - the minute of the comment above


async def _kept_off(
    work: SubscriptionPass, one: Wanted, result: _Result, *, fields: dict[str, Any], as_before: dict[str, Any]
) -> SubscriptionOutcome:
    body = work.resources[one.key]
    subject = Subject.of(body)
    if one.subscription.id in result.decided.retained:
        why = "the time of spec.expireAfter is over" if one.expired else "spec.suspend is true"
        return SubscriptionOutcome(subject, retained_verdict(why), as_before)
    if not one.expired:
        whose = "" if body["spec"].get("suspend") else f" of KafkaCluster {work.cluster.name}"
        return SubscriptionOutcome(
            subject, ready("Suspended", f"not on the broker, as spec.suspend{whose} says"), fields
        )
    verdict = expired_verdict(body, expires_ms(body) or 0)
    conditions = (body.get("status") or {}).get("conditions", ())
    if not any(said["type"] == "Ready" and said["reason"] == verdict.reason for said in conditions):
        note = verdict.message
        await emit(work.context, _KIND, one.key, reason="Expired", action="Expire", note=note, type_="Normal")
    return SubscriptionOutcome(subject, verdict, fields)


def _after(
    present: Mapping[str, Mapping[str, str]], decided: SubscriptionPlan, answers: Mapping[str, OperatorError | None]
) -> dict[str, Mapping[str, str]]:
    after = dict(present)
    for name, target in decided.changes.items():
        if name in answers and answers[name] is None:
            if target is None:
                after.pop(name, None)
            else:
                after[name] = target
    return after


def _readable(configs: Mapping[str, Mapping[str, str]]) -> tuple[BrokerSubscription, ...]:
    found = []
    for name, values in sorted(configs.items()):
        try:
            found.append(parse(name, values))
        except UnreadableSubscriptionError:
            _log.warning("Unreadable broker config left out of what is known", extra={"resource": name})
    return tuple(found)


def _known_names(installation: str, standing: Sequence[BrokerSubscription]) -> dict[str, str]:
    keys = {one.id: own_key(installation, one.id) for one in standing}
    return {name: str(key) for name, key in keys.items() if key is not None}


async def _share(work: SubscriptionPass, standing: tuple[BrokerSubscription, ...]) -> None:
    facts = work.facts
    if facts.subscriptions != standing:
        facts.subscriptions = standing
        work.context.told(AskedFor(work.cluster))
        # Its status lists them, and warns of clients that they have disconnected.
        work.context.enqueue("KafkaCluster", work.cluster, 0.0)
