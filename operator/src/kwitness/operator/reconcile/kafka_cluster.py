"""KafkaCluster: connect, describe, create the platform's topics, and tell the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator import metrics
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.broker_subscriptions import subscription_fields
from kwitness.operator.desired.client_versions import client_versions, version_warnings
from kwitness.operator.desired.kafka_cluster_status import (
    acl_hints,
    cluster_fields,
    disconnected_software,
    topic_names,
    wanted_topics,
    warnings,
)
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused
from kwitness.operator.model.references import ACCEPT_ANNOTATION
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.inventory import poll_inventory
from kwitness.operator.reconcile.kafka_credentials import connection_of
from kwitness.operator.reconcile.owners import warnings_of_owners
from kwitness.operator.reconcile.remembering import recall_cluster, remember_cluster
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.terminated_telemetry import is_answered_by_observers
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.facts import KafkaState
from kwitness.operator.work_queue import Requeue

__all__ = ["reconcile_kafka_cluster"]

_KIND = "KafkaCluster"
_DEPENDENTS = ("TelemetryCollector",)
_KEPT = (
    "clusterId",
    "brokers",
    "kafkaVersion",
    "telemetry",
    "listeners",
    "warnings",
    "subscriptions",
    "subscriptionsLeftOut",
    "acls",
)


async def reconcile_kafka_cluster(context: Context, key: Key) -> Requeue:
    """Bring one KafkaCluster's status up to date and its topics into being."""
    body = context.store.get(_KIND, key)
    if body is None:
        # The subscriptions' reconcile cleans up with the connection that is still known.
        _wake(context, key)
        context.told(KafkaState(key))
        return Requeue.never()
    subject = Subject.of(body)
    facts = context.clusters.setdefault(key, ClusterFacts())
    id_before = (body.get("status") or {}).get("clusterId")
    before = (facts.checked, facts.trouble, facts.cluster_id, facts.paused, facts.connection)
    trouble: OperatorError | None = None
    fields: dict[str, Any] = {name: value for name, value in (body.get("status") or {}).items() if name in _KEPT}
    try:
        cluster = parse_resource(KafkaCluster, body)
        facts.paused = is_paused(cluster.metadata.annotations)
        fields["acls"] = acl_hints(cluster)
        verdict, fields = await _observe(context, key, facts, cluster, fields)
    except KubernetesUnavailableError:
        raise
    except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
        trouble = as_operator_error(caught, _KIND, key)
        verdict = failure(trouble)
        if trouble.reason not in {"Forbidden", "Paused"} or facts.seen is None:
            facts.trouble = f"KafkaCluster {key.name} is not ready ({trouble.reason}): see its status"
    facts.checked = True
    context.told(KafkaState(key))
    wait = await write_status(context, _KIND, subject, fields=fields, verdicts=[verdict])
    if before != (facts.checked, facts.trouble, facts.cluster_id, facts.paused, facts.connection):
        _wake(context, key)
    if facts.cluster_id is not None and facts.cluster_id != id_before:
        # The warning SharedCluster concerns the others too; and this one, if another was connected meanwhile.
        for other in _sharing(context, key, facts.cluster_id):
            context.enqueue(_KIND, other, 0.0)
            context.enqueue(_KIND, key, 0.0)
    if trouble is not None:
        raise trouble
    return Requeue(after=wait)


async def _observe(
    context: Context, key: Key, facts: ClusterFacts, cluster: KafkaCluster, fields: dict[str, Any]
) -> tuple[Verdict, dict[str, Any]]:
    connection = await connection_of(context, cluster)
    if facts.inventory_verdict is None:
        await poll_inventory(context, key)
    await recall_cluster(context, key, facts)
    facts.seen = None
    seen = await context.kafka.observe(
        connection, topic_names(cluster), tuple(one.name for one in cluster.spec.listeners)
    )
    _check_identity(cluster, seen, fields.get("clusterId") or facts.memory.cluster_id)
    connection = replace(connection, cluster_id=seen.cluster_id)
    facts.connection, facts.seen, facts.cluster_id, facts.trouble = connection, seen, seen.cluster_id, None
    facts.offering = frozenset(str(one.id) for one in seen.brokers if one.telemetry is not False)
    await remember_cluster(context, key, facts)
    told = [one.listeners for one in seen.brokers if one.listeners is not None]
    facts.listeners = tuple(listener for listeners in told for listener in listeners) if told else facts.listeners
    software = facts.inventory.software if facts.inventory else ()
    found = warnings(
        cluster=cluster,
        seen=seen,
        inventory=facts.inventory,
        shared_with=[str(other) for other in _sharing(context, key, seen.cluster_id)],
        deletion_held=facts.deletion_held,
        disconnected=disconnected_software(facts.inventory, facts.subscriptions),
        owners=await warnings_of_owners(context, cluster),
        clients=version_warnings(client_versions(cluster.spec.client_policy, software)),
    )
    fields.update(cluster_fields(seen, facts.inventory, cluster, found))
    if facts.subscriptions is not None:
        fields.update({"subscriptions": None, "subscriptionsLeftOut": None})
        fields.update(subscription_fields(facts.subscriptions, context.installation))
    fields = {name: value for name, value in fields.items() if value is not None}
    answered = seen.refused is not None and await is_answered_by_observers(context, key)
    if facts.paused:
        return paused("nothing is written to the brokers"), fields
    if cluster.spec.suspend:
        message = "no subscription of this cluster is on its brokers and nothing is created there, as spec.suspend says"
        return ready("Suspended", message), fields
    missing = tuple(topic for topic in wanted_topics(cluster, len(seen.brokers)) if topic.name not in seen.topics)
    if seen.refused is not None and not answered:
        raise seen.refused
    if missing:
        results = await context.kafka.create_topics(connection, missing)
        for trouble in results.values():
            if trouble is not None:
                raise trouble
            metrics.BROKER_WRITES.labels(operation="create_topic").inc()
    message = f"connected to {seen.cluster_id} with {len(seen.brokers)} brokers"
    if seen.refused is not None:
        message += "; subscriptions are not on them, since observers ask clients in their place"
    return ready("Connected", message), fields


def _check_identity(cluster: KafkaCluster, seen: ClusterDescription, last: str | None) -> None:
    accepted = cluster.spec.cluster_id or cluster.metadata.annotations.get(ACCEPT_ANNOTATION) or last
    if accepted is not None and accepted != seen.cluster_id:
        raise TerminalError(
            "ClusterIdChanged",
            f"the addresses lead to cluster {seen.cluster_id}, not to {accepted}; nothing is applied to it. If that is"
            f" meant, set spec.clusterId, or the annotation {ACCEPT_ANNOTATION}, to {seen.cluster_id}",
        )


def _sharing(context: Context, key: Key, cluster_id: str) -> list[Key]:
    return [
        other
        for other, body in context.store.items(_KIND)
        if other != key and (body.get("status") or {}).get("clusterId") == cluster_id
    ]


def _wake(context: Context, key: Key) -> None:
    context.enqueue("ClientMetricsSubscription", key, 0.0)
    for kind in _DEPENDENTS:
        for other, body in context.store.items(kind):
            reference = body.get("spec", {}).get("clusterRef", {})
            if Key(reference.get("namespace") or other.namespace, reference.get("name", "")) == key:
                context.enqueue(kind, other, 0.0)
