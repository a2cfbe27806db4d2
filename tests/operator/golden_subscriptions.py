"""Decides on subscriptions from a golden's input."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from pydantic import BaseModel

from kwitness.contracts.envelopes import SubscriptionState
from kwitness.contracts.resources.client_metrics_subscription import (
    ClientMetricsSubscription,
    ClientMetricsSubscriptionStatus,
)
from kwitness.contracts.resources.durations import parse_duration
from kwitness.operator.context import Clock
from kwitness.operator.desired.subscription_plan import (
    ObservedSoftware,
    Wanted,
    broker_name,
    desired_subscription,
    plan,
)
from kwitness.operator.desired.subscription_reach import narrowing
from kwitness.operator.desired.subscription_status import (
    at_risk_entries,
    held_verdict,
    live_fields,
    unknown_risk_verdict,
)
from kwitness.operator.kinds.client_metrics_subscription.kind import CLIENT_METRICS_SUBSCRIPTION
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.store import Key
from kwitness.subscriptions.risk_rule import tightest

from tests.operator.golden_view import cluster_of_case, with_its_needs


def subscription_plan(case: dict[str, Any]) -> Any:
    resources = [ClientMetricsSubscription.model_validate(body) for body in case["subscriptions"]]
    cluster = cluster_of_case(case)
    wanted, errors = [], {}
    for resource in resources:
        key = Key(resource.metadata.namespace, resource.metadata.name)
        try:
            subscription = desired_subscription(
                broker_name("inst", key),
                resource,
                restrictions=[narrowing(cluster, key.namespace, case.get("labels", {}).get(key.namespace))],
                min_interval="1s",
            )
        except TerminalError as error:
            errors[str(key)] = failure(error).reason + ": " + error.message
            continue
        wanted.append(
            Wanted(
                key=key,
                subscription=subscription,
                risk=tightest([cluster], resource),
                suspended=resource.spec.suspend,
                expired=str(key) in case.get("expired", []),
            )
        )
    decided = plan(
        wanted=wanted,
        present=case.get("present", {}),
        orphans=case.get("orphans", []),
        applied=case.get("applied", {}),
        seen=[ObservedSoftware(**entry) for entry in case.get("seen", [])],
        now_ms=10_000,
        retention=parse_duration(cluster.spec.risk_window),
        known="unknown" not in case,
    )
    rules = {entry.subscription.id: entry.risk for entry in wanted}
    return {
        "changes": {name: None if configs is None else dict(configs) for name, configs in decided.changes.items()},
        "drifted": sorted(decided.drifted),
        "held": {
            name: held_verdict(software, rules[name]).message + f" {at_risk_entries(software, Clock().rfc3339)}"
            for name, software in decided.held.items()
        },
        "retained": sorted(decided.retained),
        "waiting": {
            name: unknown_risk_verdict(case["unknown"], rules[name], stands=name in case.get("present", {})).message
            for name in sorted(decided.waiting)
        },
        "errors": errors,
    }


def live_numbers(case: dict[str, Any]) -> Any:
    return declared(ClientMetricsSubscriptionStatus, live_fields(SubscriptionState.model_validate(case["state"])))


def declared(model: type[BaseModel], status: dict[str, Any]) -> dict[str, Any]:
    """The status, all fields of which the schema has: the API server would drop others without a word."""
    known = model.model_validate(status).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert json.loads(json.dumps(status)) == known
    return status


def subscription_unit(case: dict[str, Any]) -> Any:
    unit = CLIENT_METRICS_SUBSCRIPTION.unit(Key("kwitness", "main"))
    needed, view = with_its_needs(CLIENT_METRICS_SUBSCRIPTION, unit, case)
    decided = CLIENT_METRICS_SUBSCRIPTION.decide(unit, view)
    return {
        "needs": sorted(
            f"{need.fact} within {need.max_age_s} s"
            + ("" if need.before_write_s is None else f", before a write {need.before_write_s} s")
            for need in needed
        ),
        "outcomes": {
            str(key): {
                "status": one.status.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True),
                "conditions": [f"{said.type}={said.status} {said.reason}: {said.message}" for said in one.verdicts],
                "notes": [f"{note.type} {note.reason} ({note.action}): {note.message}" for note in one.notes],
            }
            for key, one in sorted(decided.outcomes.items())
        },
        "alter": None
        if decided.alter is None
        else {
            "uid": decided.alter.uid,
            "changes": {name: dataclasses.asdict(one) for name, one in sorted(decided.alter.changes.items())},
        },
        "tells": [f"{type(one).__name__} {dataclasses.asdict(one)}" for one in decided.tells],
        "after": decided.after_s,
        "again": decided.again,
    }
