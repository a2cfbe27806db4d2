"""KafkaCluster: connect, describe, create the platform's topics, and tell the others.

Ready says that the cluster was reached, let the operator in and is the accepted one. What else somebody may need has a
condition of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator import metrics
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.broker_subscriptions import subscription_fields
from kwitness.operator.desired.client_versions import client_versions, version_warnings
from kwitness.operator.desired.kafka_cluster_conditions import (
    subscriptions_verdict,
    telemetry_verdict,
    topics_verdict,
    unreached_verdicts,
)
from kwitness.operator.desired.kafka_cluster_status import (
    acl_hints,
    cluster_fields,
    disconnected_software,
    topic_names,
    wanted_topics,
    warnings,
)
from kwitness.operator.model.cluster_description import ClusterDescription, WantedTopic
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError, TransientError
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
_OF_TOPICS: Final = frozenset({"TopicsMissing", "TopicsRefused"})
_AGAIN_SECONDS: Final = 60.0
"""Between looks at a cluster that lacks something which somebody may grant there, and of which nobody tells us."""
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
    before = _told_of(facts)
    trouble: OperatorError | None = None
    again: float | None = None
    fields: dict[str, Any] = {name: value for name, value in (body.get("status") or {}).items() if name in _KEPT}
    try:
        cluster = parse_resource(KafkaCluster, body)
        facts.paused = is_paused(cluster.metadata.annotations)
        fields["acls"] = acl_hints(cluster)
        verdicts, fields, again = await _observe(context, key, facts, cluster, fields)
    except KubernetesUnavailableError:
        raise
    except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
        trouble = as_operator_error(caught, _KIND, key)
        verdicts = [failure(trouble), *unreached_verdicts()]
        facts.trouble = f"KafkaCluster {key.name} is not ready ({trouble.reason}): see its status"
    facts.checked = True
    context.told(KafkaState(key))
    if facts.inventory_verdict is not None:
        verdicts.append(facts.inventory_verdict)
    wait = await write_status(context, _KIND, subject, fields=fields, verdicts=verdicts)
    if before != _told_of(facts):
        _wake(context, key)
    if facts.cluster_id is not None and facts.cluster_id != id_before:
        # The warning SharedCluster concerns the others too; and this one, if another was connected meanwhile.
        for other in _sharing(context, key, facts.cluster_id):
            context.enqueue(_KIND, other, 0.0)
            context.enqueue(_KIND, key, 0.0)
    if trouble is not None:
        raise trouble
    return Requeue(after=min((one for one in (wait, again) if one is not None), default=None))


def _told_of(facts: ClusterFacts) -> object:
    """What wakes those who depend on the cluster when it changes."""
    refused = None if facts.seen is None or facts.seen.refused is None else str(facts.seen.refused)
    return (facts.checked, facts.trouble, facts.cluster_id, facts.paused, facts.connection, refused)


async def _observe(
    context: Context, key: Key, facts: ClusterFacts, cluster: KafkaCluster, fields: dict[str, Any]
) -> tuple[list[Verdict], dict[str, Any], float | None]:
    """Verdicts, fields, and the seconds after which it is to be looked at again, None for the resync."""
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
    verdict, withheld = _standing(cluster, facts, seen)
    wanted = wanted_topics(cluster, len(seen.brokers))
    results = {} if withheld is not None else await _create_missing(context, connection, seen, wanted)
    answered = seen.refused is not None and await is_answered_by_observers(context, key)
    verdicts = [
        verdict,
        topics_verdict(wanted, seen, results, withheld=withheld),
        telemetry_verdict(seen),
        subscriptions_verdict(seen, answered=answered),
    ]
    lacking = [seen.refused, *results.values()]
    may_pass = seen.hidden_topics or any(isinstance(one, TransientError) for one in lacking)
    return verdicts, fields, _AGAIN_SECONDS if may_pass else None


def _standing(cluster: KafkaCluster, facts: ClusterFacts, seen: ClusterDescription) -> tuple[Verdict, str | None]:
    """Ready, and why nothing is created on the brokers, None where it is."""
    if facts.paused:
        return paused(
            "nothing is written to the brokers"
        ), "not there, and not created while the KafkaCluster is paused"
    if cluster.spec.suspend:
        message = "no subscription of this cluster is on its brokers and nothing is created there, as spec.suspend says"
        return ready("Suspended", message), "not there, and not created while spec.suspend is true"
    return ready("Connected", f"connected to {seen.cluster_id} with {len(seen.brokers)} brokers"), None


async def _create_missing(
    context: Context, connection: KafkaConnection, seen: ClusterDescription, wanted: tuple[WantedTopic, ...]
) -> Mapping[str, OperatorError | None]:
    missing = tuple(topic for topic in wanted if topic.name not in seen.topics and topic.name not in seen.hidden_topics)
    if not missing:
        return {}
    try:
        results = await context.kafka.create_topics(connection, missing)
    except OperatorError as error:
        if error.reason not in _OF_TOPICS:
            raise
        return dict.fromkeys([topic.name for topic in missing], error)
    made = [name for name, trouble in results.items() if trouble is None]
    metrics.BROKER_WRITES.labels(operation="create_topic").inc(len(made))
    return results


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
