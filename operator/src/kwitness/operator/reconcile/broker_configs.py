"""Reading and writing the CLIENT_METRICS configs of a KafkaCluster's brokers, and telling who is to know."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from kwitness.operator import metrics
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.subscription_plan import broker_name
from kwitness.operator.model.errors import OperatorError, OvertakenError, TransientError
from kwitness.operator.model.pause import stands_still
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.cluster_looks import look_again, may_write
from kwitness.operator.reconcile.events import emit
from kwitness.operator.reconcile.inventory import poll_inventory
from kwitness.operator.reconcile.references import deleted_subscriptions_of
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.actions import AlterConfigs, ConfigChange, ShowSubscriptions
from kwitness.operator.shapes.facts import AskedFor, HeldBack
from kwitness.operator.shapes.subscription_facts import SetConfigs, WriteRecord, WriteResult
from kwitness.subscriptions.broker_subscription import UnreadableSubscriptionError, parse

__all__ = ["Written", "ask_collector", "read_configs", "show_subscriptions", "write_configs"]

_LACKING: Final = frozenset({"Forbidden", "Unsupported"})
_KIND: Final = "ClientMetricsSubscription"
_MOST_NAMED: Final = 10
_log = logging.getLogger(__name__)


async def ask_collector(context: Context, cluster: Key) -> None:
    """Have the collector's answers renewed, and go on asking from now on.

    Raises
    ------
    OperatorError
        As `poll_inventory`.
    """
    facts, body = context.clusters.get(cluster), context.store.get("KafkaCluster", cluster)
    if facts is None or body is None:
        return
    # A pause counts from now on, whatever else is known of the cluster or is yet to be found out.
    facts.paused, facts.uid = stands_still(body), str(body["metadata"].get("uid", ""))
    await poll_inventory(context, cluster, numbers=facts.inventory_verdict is None)
    context.enqueue("Inventory", cluster, context.settings.inventory_seconds)


async def read_configs(context: Context, cluster: Key) -> SetConfigs:
    """Ask the brokers; that they refuse, or know no such configs, is an answer too.

    Raises
    ------
    OperatorError
        They could not be asked.
    """
    facts = context.clusters.get(cluster)
    if facts is None or facts.connection is None:
        raise TransientError("ClusterNotReady", "not connected")
    try:
        found = await context.kafka.subscriptions(facts.connection)
    except Exception as caught:
        error = as_operator_error(caught, _KIND, cluster)
        _explain(context, cluster, facts, error)
        if error.reason in _LACKING:
            return SetConfigs(refused=error)
        raise error from caught
    for name, configs in sorted(found.items()):
        try:
            parse(name, configs)
        except UnreadableSubscriptionError:
            _log.warning("Unreadable broker config left out of what is known", extra={"resource": name})
    _forget_deletions(context, cluster, facts, found)
    return SetConfigs(found)


def _explain(context: Context, cluster: Key, facts: ClusterFacts, error: OperatorError) -> None:
    """What goes wrong here the cluster's own look explains better."""
    if error.reason not in _LACKING or facts.seen is None or facts.seen.refused is None:
        look_again(context, cluster)


def _forget_deletions(context: Context, cluster: Key, facts: ClusterFacts, present: Mapping[str, object]) -> None:
    """Of those of which nothing is on the brokers; it has to be missed twice, since brokers may answer late."""
    deleted = deleted_subscriptions_of(context, cluster)
    absent = frozenset(key for key in deleted if broker_name(context.installation, key) not in present)
    for key in absent & facts.absent:
        context.store.forget_deletion(_KIND, key)
    facts.absent = absent


class Written(NamedTuple):
    """What is on the brokers since ``at_ms``, which is when the record of the writes says that they ended."""

    configs: SetConfigs
    at_ms: int


async def write_configs(context: Context, action: AlterConfigs, before: SetConfigs) -> Written | None:
    """Send the changes, remember how each ended, and return what is on the brokers now; None if that is not known.

    Raises
    ------
    OvertakenError
        What they were decided from does not hold any more; nothing was sent.
    """
    facts = context.clusters.get(action.cluster)
    if facts is None or facts.connection is None:
        raise OvertakenError
    targets = {name: change.target for name, change in action.changes.items()}
    try:
        answers = await context.kafka.alter(
            facts.connection, targets, holds=lambda: may_write(context, action.cluster, action.uid)
        )
    except OvertakenError:
        raise
    except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
        error = as_operator_error(caught, _KIND, action.cluster)
        _tried_in_vain(action.cluster, error)
        facts.writes = replace(
            facts.writes, failure=error, at_ms=context.clock.now_ms(), failures=facts.writes.failures + 1
        )
        _explain(context, action.cluster, facts, error)
        return None
    passing = next((error for error in answers.values() if isinstance(error, TransientError)), None)
    if passing is not None and passing.reason not in _LACKING:
        _tried_in_vain(action.cluster, passing)
    results = {name: WriteResult(change.target, answers.get(name)) for name, change in action.changes.items()}
    kept = {name: one for name, one in facts.writes.results.items() if name in before.configs and one.error is None}
    ended_ms = context.clock.now_ms()
    facts.writes = WriteRecord(
        {**kept, **results},
        at_ms=ended_ms,
        failures=0 if passing is None else facts.writes.failures + 1,
        applied=facts.writes.applied,
    )
    done = {name: change for name, change in action.changes.items() if answers.get(name) is None}
    await _report(context, action.cluster, done)
    after = {name: configs for name, configs in before.configs.items() if name not in done}
    written = {name: change.target for name, change in done.items() if change.target is not None}
    return Written(SetConfigs({**after, **written}), ended_ms)


def _tried_in_vain(cluster: Key, error: OperatorError) -> None:
    metrics.RECONCILE_ERRORS.labels(kind=_KIND).inc()
    extra = {"kind": _KIND, "key": str(cluster), "reason": error.reason, "detail": error.message}
    _log.warning("Will try again", extra=extra)


async def _report(context: Context, cluster: Key, done: Mapping[str, ConfigChange]) -> None:
    removed = context.removed.get(cluster, set())
    for name, change in done.items():
        operation = "remove" if change.target is None else "write"
        metrics.BROKER_WRITES.labels(operation=operation).inc()
        _log.info("Broker config changed", extra={"resource": name, "operation": operation, "key": str(cluster)})
        if change.target is not None:
            removed.discard(name)
        if change.is_repair:
            metrics.DRIFT_REPAIRS.labels(kind=_KIND, namespace=change.key.namespace, name=change.key.name).inc()
            note = f"the broker config {name} had been changed by someone else and was put right"
            await emit(context, _KIND, change.key, reason="DriftRepaired", action="Repair", note=note, type_="Warning")
        if change.swept:
            context.store.forget_deletion(_KIND, change.key)
    if swept := sorted(name for name, change in done.items() if change.swept):
        note = f"removed {', '.join(swept[:_MOST_NAMED])} from the broker: the resources are gone"
        await emit(context, "KafkaCluster", cluster, reason="Swept", action="Sweep", note=note, type_="Normal")


def show_subscriptions(context: Context, action: ShowSubscriptions) -> None:
    """Let everybody know what clients are asked for, where it is news."""
    facts = context.clusters.get(action.cluster)
    if facts is None or (action.if_unknown and facts.subscriptions is not None):
        return
    if not action.if_unknown:
        facts.writes = replace(facts.writes, applied=action.applied)
    if not action.if_unknown and facts.deletion_held != action.retained:
        facts.deletion_held = action.retained
        context.told(HeldBack(action.cluster))
    if facts.subscriptions != action.asked_for:
        facts.subscriptions = action.asked_for
        context.told(AskedFor(action.cluster))
