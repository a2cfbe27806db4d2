"""What becomes of all ClientMetricsSubscriptions of a KafkaCluster, and of what is on its brokers.

They are planned together, since one can protect clients from another. As long as something is to be written, that is
all that is decided; statuses say what came of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.risk import LONGEST_RISK_WINDOW
from kwitness.operator.desired.subscription_expiry import expires_ms
from kwitness.operator.desired.subscription_plan import (
    ObservedSoftware,
    SubscriptionPlan,
    Wanted,
    broker_name,
    config_hash,
    own_key,
    plan,
)
from kwitness.operator.environment.needs import known_cluster
from kwitness.operator.environment.observer_answers import answering_namespaces, is_answered
from kwitness.operator.environment.ruling_clusters import other_ruler, ruling_cluster
from kwitness.operator.kinds.client_metrics_subscription.brokers import Brokers, known_names, readable
from kwitness.operator.kinds.client_metrics_subscription.judging import Standing, judge
from kwitness.operator.kinds.client_metrics_subscription.needs import KIND, LACKING, REFUSED, installation_of
from kwitness.operator.kinds.client_metrics_subscription.verdicts import Judged, said_of
from kwitness.operator.kinds.client_metrics_subscription.wanted import wanted_of
from kwitness.operator.model.conditions import failure
from kwitness.operator.model.errors import InternalError, OperatorError, TransientError
from kwitness.operator.model.pause import stands_still
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import AlterConfigs, ConfigChange, Forsake, ShowSubscriptions
from kwitness.operator.shapes.facts import Body, KafkaState, Referring, Watched
from kwitness.operator.shapes.subscription_facts import AskedCollector, CleanedUp, ClientSightings, Sightings
from kwitness.operator.shapes.work import Decision, Unit, View
from kwitness.subscriptions.broker_subscription import to_configs

__all__ = ["decide"]

_NO_LONGER: Final = frozenset({"RefNotPermitted", "Restricted"})
"""Reasons that a config on the broker has to go."""
_AFTER_ITS_END: Final = 0.01
"""Seconds: a timer may go off a little early, and would then have to be set once more."""


def decide(unit: Unit, view: View) -> Decision:
    """Decide what is to be written, or if that is nothing, what each is told."""
    at = unit.key
    bodies = {Subject.of(body).key: body for body in view[Referring(KIND, at)].value or ()}
    body = view[Watched("KafkaCluster", at)].value
    wanted, told = wanted_of(at, bodies, view)
    if body is None:
        outcomes = {key: one.outcome(ClientSightings()) for key, one in told.items()}
        return Decision(outcomes, tells=(Forsake(at),), again="resync" if bodies else "forget")
    try:
        decided = _on_brokers(at, body, bodies, (wanted, told), view)
    except OperatorError as error:
        decided = _not_ready(at, bodies, (wanted, told), error, view)
    return replace(decided, after_s=_due_s(bodies, view))


def _due_s(bodies: Mapping[Key, Body], view: View) -> float | None:
    """Seconds until one expires."""
    ends = (expires_ms(body) for body in bodies.values())
    waits = [(end - view.now_ms) / 1000 + _AFTER_ITS_END for end in ends if end is not None and end > view.now_ms]
    return min(waits, default=None)


def _not_ready(
    at: Key,
    bodies: Mapping[Key, Body],
    asked: tuple[list[Wanted], dict[Key, Judged]],
    error: OperatorError,
    view: View,
) -> Decision:
    wanted, told = asked
    lacking = error.reason in LACKING
    if not lacking and error.reason != "InternalError":
        error = TransientError("ClusterNotReady", error.message)
    told = {**told, **{one.key: Judged.unchanged(bodies[one.key], failure(error)) for one in wanted}}
    # Whoever waits for them has nothing to wait for.
    tells = (ShowSubscriptions(at, (), if_unknown=True),) if lacking else ()
    return Decision(_outcomes(at, told, view), tells=tells)


def _outcomes(at: Key, told: Mapping[Key, Judged], view: View) -> dict[Key, Any]:
    clients = view[Sightings(at)].value or ClientSightings()
    return {key: one.outcome(clients) for key, one in sorted(told.items())}


def _sightings(at: Key, view: View) -> ClientSightings:
    """Return who is known to be connected: to the collector of the KafkaCluster that rules, and to its own."""
    own, ruler = view[Sightings(at)].value or ClientSightings(), other_ruler(at, view)
    if ruler is None:
        return own
    known = view[Sightings(ruler)].value
    if known is None:
        return replace(own, unknown=f"the collector of KafkaCluster {ruler}, which rules, was not asked yet")
    return replace(own, software=(*own.software, *known.software), unknown=known.unknown)


def _retention(*bounds: KafkaCluster | None) -> timedelta:
    windows = [parse_duration(bound.spec.risk_window) for bound in bounds if bound is not None]
    return max(windows, default=parse_duration(LONGEST_RISK_WINDOW))


def _on_brokers(
    at: Key,
    body: Body,
    bodies: Mapping[Key, Body],
    asked: tuple[list[Wanted], dict[Key, Judged]],
    view: View,
) -> Decision:
    wanted, told = asked
    state, clients = view[KafkaState(at)].value, _sightings(at, view)
    if state is None or state.trouble is not None:
        raise TransientError("ClusterNotReady", "not connected" if state is None else state.trouble or "")
    if (trouble := view[AskedCollector(at)].failure) is not None:
        raise trouble
    brokers = Brokers.of(at, view)
    cluster, ruler = known_cluster(view, at), ruling_cluster(at, view)
    answering = frozenset[str]() if cluster is None else answering_namespaces(cluster, view)
    if brokers.found.refused is not None and not answering:
        raise brokers.found.refused
    present = brokers.found.configs
    refused = [key for key, one in told.items() if one.verdict.reason in _NO_LONGER]
    lost = brokers.lost(at, state.cluster_id, bodies, refused, view)
    statuses = {broker_name(installation_of(view), key): said_of(body) for key, body in bodies.items()}
    applied = _applied(at, brokers, view)
    decided = plan(
        wanted=wanted,
        present=present,
        orphans=lost,
        applied=applied,
        seen=_seen(clients, statuses),
        now_ms=view.now_ms,
        retention=_retention(cluster, ruler),
        cluster_id=state.cluster_id or "",
        known=clients.unknown is None,
    )
    errors = brokers.refusals(decided.changes)
    paused = stands_still(body)
    if decided.changes.keys() - errors.keys() and not paused:
        changes = _changes(decided, lost, view)
        return Decision(alter=AlterConfigs(at, str(body["metadata"].get("uid", "")), changes))
    to_observers = {
        name: target
        for name, target in decided.changes.items()
        if target is not None
        and name in errors
        and errors[name].reason in REFUSED
        and cluster is not None
        and (key := own_key(installation_of(view), name)) is not None
        and is_answered(key.namespace, cluster, answering)
    }
    standing = readable({**present, **to_observers})
    known = Standing(
        plan=decided,
        errors=errors,
        statuses=statuses,
        present=present,
        all=standing,
        names=known_names(installation_of(view), standing),
        to_observers=to_observers,
        removed=frozenset(one.subscription.id for one in wanted if brokers.has_removed(one.subscription.id)),
        unknown=clients.unknown,
        cluster_name=at.name,
        paused=paused,
    )
    told |= {one.key: _judged(one, bodies[one.key], known) for one in wanted}
    retained = tuple(sorted(decided.retained | (decided.waiting & lost)))
    in_place = _in_place(wanted, statuses.keys(), decided, applied, state.cluster_id or "")
    return Decision(_outcomes(at, told, view), tells=(ShowSubscriptions(at, standing, retained, in_place),))


def _judged(one: Wanted, body: Body, known: Standing) -> Judged:
    try:
        return judge(one, body, known)
    except Exception as error:  # noqa: BLE001 - an unexpected one becomes a condition too
        return Judged.unchanged(body, failure(InternalError(error)), unexpected=error)


def _applied(at: Key, brokers: Brokers, view: View) -> dict[str, str]:
    """Return hashes of what is on the brokers as far as we know, without what we removed, which is no drift."""
    cleaned = view[CleanedUp(at)].value or frozenset()
    hashes = brokers.record.applied
    return {name: text for name, text in hashes.items() if name not in cleaned and not brokers.has_removed(name)}


def _in_place(
    wanted: list[Wanted], names: Collection[str], decided: SubscriptionPlan, applied: Mapping[str, str], cluster_id: str
) -> dict[str, str]:
    """Return hashes of what is on the brokers as it should be; where a change waits, of what was there before."""
    found = {name: text for name, text in applied.items() if name in names}
    for one in wanted:
        name = one.subscription.id
        if name in decided.changes or name in decided.waiting or name in decided.retained:
            continue
        if one.suspended or one.expired or name in decided.held:
            found.pop(name, None)
        else:
            found[name] = config_hash(to_configs(one.subscription), cluster_id)
    return found


def _seen(clients: ClientSightings, statuses: Mapping[str, Mapping[str, Any]]) -> list[ObservedSoftware]:
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
    for one in [*clients.software, *remembered]:
        known = newest.get((one.name, one.version), one)
        newest[one.name, one.version] = replace(known, last_seen_ms=max(known.last_seen_ms, one.last_seen_ms))
    return [one for _, one in sorted(newest.items())]


def _changes(
    decided: SubscriptionPlan,
    lost: frozenset[str],
    view: View,
) -> dict[str, ConfigChange]:
    found = {}
    for name, target in decided.changes.items():
        key = own_key(installation_of(view), name)
        if key is None:
            continue
        found[name] = ConfigChange(target, key, is_repair=name in decided.drifted, swept=name in lost)
    return found
