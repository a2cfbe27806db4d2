"""All ClientMetricsSubscriptions of one Kafka cluster together, since one can protect clients from another.

The queue's key is the KafkaCluster's, so one cluster is written to by one worker at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscription
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.context import ClusterFacts, Context, SubscriptionOutcome
from kwitness.operator.desired.subscription_expiry import expires_ms
from kwitness.operator.desired.subscription_plan import Wanted, broker_name, desired_subscription
from kwitness.operator.desired.subscription_reach import narrowing, reach_depends_on_labels
from kwitness.operator.model.conditions import Verdict, failure
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, OvertakenError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused
from kwitness.operator.model.references import depends_on_labels
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.cluster_looks import look_again
from kwitness.operator.reconcile.forsaken_clusters import forsake, is_being_cleaned
from kwitness.operator.reconcile.inventory import poll_inventory
from kwitness.operator.reconcile.namespaces import labels_of_namespace
from kwitness.operator.reconcile.references import deleted_subscriptions_of, referred_cluster, subscriptions_of
from kwitness.operator.reconcile.subscription_apply import LACKING, apply_subscriptions
from kwitness.operator.reconcile.subscription_pass import SubscriptionPass
from kwitness.operator.reconcile.subscription_statuses import write_subscription_statuses
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.work_queue import Requeue

__all__ = ["reconcile_subscriptions"]

_KIND = "ClientMetricsSubscription"
_LABELS_SECONDS: Final = 60.0
"""After so long labels of namespaces are read again, which are not watched."""
_AGAIN_SECONDS: Final = 60.0
"""Between attempts at brokers that may let the operator write subscriptions one day, and do not tell."""
_AFTER_ITS_END: Final = 0.01
"""Seconds: a timer may go off a little early, and would then have to be set once more."""


async def reconcile_subscriptions(context: Context, key: Key) -> Requeue:
    """Bring the broker configs and statuses of all subscriptions of cluster ``key`` up to date."""
    body = context.store.get("KafkaCluster", key)
    if body is None:
        return await _without_cluster(context, key)
    facts = context.clusters.get(key)
    if facts is None or not facts.checked:
        # The cluster's own reconcile wakes us; a status written now would say something for a second.
        return Requeue()
    if is_being_cleaned(context, key, facts.cluster_id):
        # What is on the brokers changes at this moment; the end of it wakes us.
        return Requeue()
    # A pause counts from now on, whatever else is known of the cluster or is yet to be found out.
    facts.paused, facts.uid = is_paused(body["metadata"].get("annotations") or {}), str(body["metadata"].get("uid", ""))
    began_ms = context.clock.now_ms()
    # Always, since a client that a change would abort may have come a second ago.
    await poll_inventory(context, key, numbers=facts.inventory_verdict is None)
    resources = subscriptions_of(context, key)
    outcomes: dict[Key, SubscriptionOutcome] = {}
    wanted = await _wanted(context, resources, outcomes)
    trouble: OperatorError | None = None
    passing: OperatorError | None = None
    if facts.trouble is None and facts.connection is not None:
        try:
            passing = await apply_subscriptions(
                SubscriptionPass(context, facts, key, resources, outcomes), facts.connection, wanted
            )
        except OvertakenError:
            return Requeue(after=0.0)
        except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
            trouble = error = as_operator_error(caught, _KIND, key)
            _all_not_ready(context, resources, wanted, outcomes, error)
    else:
        error = TransientError("ClusterNotReady", facts.trouble or "not connected")
        _all_not_ready(context, resources, wanted, outcomes, error)
    facts.outcomes = outcomes
    await write_subscription_statuses(context, key)
    context.enqueue("Inventory", key, context.settings.inventory_seconds)
    if trouble is not None and (trouble.reason not in LACKING or facts.seen is None or facts.seen.refused is None):
        # What goes wrong here the cluster's own look explains better.
        look_again(context, key)
    lacking = [one for one in (trouble, passing) if one is not None and one.reason in LACKING]
    for one in (trouble, passing):
        if one is not None and one not in lacking:
            raise one
    due = _due(context, key, resources, began_ms)
    waits = [wait for wait in (due, _AGAIN_SECONDS if lacking else None) if wait is not None]
    return Requeue(after=min(waits, default=None))


def _due(context: Context, cluster: Key, resources: Mapping[Key, dict[str, Any]], began_ms: int) -> float | None:
    """Seconds until time alone changes what is wanted: one expires, or labels of a namespace are to be read again.

    What ended since this look began may have been taken for one that has not, so it is due at once.
    """
    now = context.clock.now_ms()
    ends = (expires_ms(body) for body in resources.values())
    waits = [max(0, end - now) / 1000 + _AFTER_ITS_END for end in ends if end is not None and end >= began_ms]
    if any(_depends_on_labels(context, cluster, key.namespace) for key in resources):
        waits.append(_LABELS_SECONDS)
    return min(waits, default=None)


def _depends_on_labels(context: Context, cluster: Key, namespace: str) -> bool:
    body = context.store.get("KafkaCluster", cluster)
    try:
        resource = None if body is None else parse_resource(KafkaCluster, body)
    except OperatorError:
        return False
    return resource is not None and (
        depends_on_labels(resource, namespace) or reach_depends_on_labels(resource, namespace)
    )


async def _without_cluster(context: Context, key: Key) -> Requeue:
    forsake(context, key)
    if not context.forsaken.get(key):
        for gone in deleted_subscriptions_of(context, key):
            # There is no connection by which anything could be removed.
            context.store.forget_deletion(_KIND, gone)
    resources = subscriptions_of(context, key)
    if not resources:
        return Requeue.never()
    outcomes: dict[Key, SubscriptionOutcome] = {}
    await _wanted(context, resources, outcomes)
    verdict = failure(TransientError("ClusterNotReady", f"KafkaCluster {key.name} was deleted"))
    removed = context.removed.pop(key, set())
    for resource, body in resources.items():
        if broker_name(context.installation, resource) in removed:
            outcomes.setdefault(resource, _unchanged(context, body, verdict))
    _forget_applied(context, removed, outcomes)
    context.clusters.setdefault(key, ClusterFacts()).outcomes = outcomes
    await write_subscription_statuses(context, key)
    return Requeue()


def _forget_applied(context: Context, removed: Collection[str], outcomes: Mapping[Key, SubscriptionOutcome]) -> None:
    """What we took away ourselves is no drift when it comes back, and the cluster may be back by now."""
    for resource, outcome in outcomes.items():
        if broker_name(context.installation, resource) in removed:
            outcome.fields.pop("appliedHash", None)


async def _wanted(
    context: Context, resources: Mapping[Key, dict[str, Any]], outcomes: dict[Key, SubscriptionOutcome]
) -> list[Wanted]:
    wanted = []
    for key, body in sorted(resources.items()):
        if is_paused(body["metadata"].get("annotations") or {}):
            outcomes[key] = _unchanged(context, body, paused("what is or is not on the broker stays as it is"))
            continue
        try:
            wanted.append(await _one_wanted(context, key, body))
        except KubernetesUnavailableError:
            # Without this one no plan for the others would be whole.
            raise
        except Exception as error:  # noqa: BLE001 - an unexpected one becomes a condition too
            outcomes[key] = _unchanged(context, body, failure(as_operator_error(error, _KIND, key)))
    return wanted


async def _one_wanted(context: Context, key: Key, body: dict[str, Any]) -> Wanted:
    resource = parse_resource(ClientMetricsSubscription, body)
    spec = resource.spec
    cluster = await referred_cluster(context, key.namespace, spec.cluster_ref)
    by_labels = reach_depends_on_labels(cluster, key.namespace)
    labels = await labels_of_namespace(context, key.namespace) if by_labels else None
    ends = expires_ms(body)
    return Wanted(
        key=key,
        subscription=desired_subscription(
            broker_name(context.installation, key),
            resource,
            restriction=narrowing(cluster, key.namespace, labels),
            min_interval=context.settings.limits.min_interval,
        ),
        accepts_risk=spec.risk_policy == "Apply",
        risk_window_ms=round(parse_duration(spec.risk_window).total_seconds() * 1000),
        suspended=spec.suspend or cluster.spec.suspend or "deletionTimestamp" in body["metadata"],
        expired=ends is not None and ends <= context.clock.now_ms(),
    )


def _all_not_ready(
    context: Context,
    resources: Mapping[Key, dict[str, Any]],
    wanted: list[Wanted],
    outcomes: dict[Key, SubscriptionOutcome],
    error: OperatorError,
) -> None:
    if error.reason not in {*LACKING, "InternalError"}:
        error = TransientError("ClusterNotReady", error.message)
    for one in wanted:
        outcomes.setdefault(one.key, _unchanged(context, resources[one.key], failure(error)))


def _unchanged(context: Context, body: Mapping[str, Any], verdict: Verdict) -> SubscriptionOutcome:
    status, ends = body.get("status") or {}, expires_ms(body)
    kept = ("brokerResource", "appliedHash", "driftRepairs", "atRiskClients", "warnings")
    fields = {name: status[name] for name in kept if name in status}
    if ends is not None:
        fields["expiresAt"] = context.clock.rfc3339(ends)
    return SubscriptionOutcome(Subject.of(body), verdict, fields)
