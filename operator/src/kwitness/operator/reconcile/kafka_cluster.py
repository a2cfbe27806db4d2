"""KafkaCluster: connect, describe, create the platform's topics, and tell the others.

Ready says that the cluster was reached, let the operator in and is the accepted one. What else somebody may need has a
condition of its own.
"""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.context import ClusterFacts, Context, Look
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
    wanted_topics,
    warnings,
)
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, OvertakenError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import paused
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.reconcile.cluster_looks import result_of, start_look
from kwitness.operator.reconcile.inventory import poll_inventory
from kwitness.operator.reconcile.kafka_credentials import connection_of
from kwitness.operator.reconcile.owners import warnings_of_owners
from kwitness.operator.reconcile.remembering import recall_cluster, remember_cluster
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.reconcile.terminated_telemetry import is_answered_by_observers
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.facts import BrokerConfigs, KafkaState
from kwitness.operator.work_queue import Requeue

__all__ = ["reconcile_kafka_cluster"]

_KIND = "KafkaCluster"
_DEPENDENTS = ("TelemetryCollector",)
_PAUSED: Final = paused("nothing is written to the brokers")
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
    facts.paused, facts.uid = is_paused(body["metadata"].get("annotations") or {}), subject.uid
    try:
        cluster = parse_resource(KafkaCluster, body)
        fields["acls"] = acl_hints(cluster)
        look = await _look(context, subject, facts, cluster)
        if look is None:
            return await _while_asked(context, subject, facts, fields, before)
        verdicts, fields, again = await _take(context, facts, cluster, look, fields)
    except KubernetesUnavailableError:
        raise
    except OvertakenError:
        return Requeue(after=0.0)
    except Exception as caught:  # noqa: BLE001 - an unexpected one becomes a condition too
        trouble = as_operator_error(caught, _KIND, key)
        verdicts = [_PAUSED if facts.paused else failure(trouble), *unreached_verdicts()]
        facts.seen = None
        facts.trouble = f"KafkaCluster {key.name} is not ready ({trouble.reason}): see its status"
    facts.checked = True
    context.told(KafkaState(key))
    if facts.inventory_verdict is not None:
        verdicts.append(facts.inventory_verdict)
    wait = await write_status(context, _KIND, subject, fields=fields, verdicts=verdicts)
    if before != _told_of(facts):
        _wake(context, key)
    _wake_sharing(context, key, facts, id_before)
    if trouble is not None:
        raise trouble
    return Requeue(after=min((one for one in (wait, again) if one is not None), default=None))


def _wake_sharing(context: Context, key: Key, facts: ClusterFacts, id_before: str | None) -> None:
    if facts.cluster_id is not None and facts.cluster_id != id_before:
        # The warning SharedCluster concerns the others too; and this one, if another was connected meanwhile.
        for other in _sharing(context, key, facts.cluster_id):
            context.enqueue(_KIND, other, 0.0)
            context.enqueue(_KIND, key, 0.0)


def _told_of(facts: ClusterFacts) -> object:
    """What wakes those who depend on the cluster when it changes."""
    refused = None if facts.seen is None or facts.seen.refused is None else str(facts.seen.refused)
    return (facts.checked, facts.trouble, facts.cluster_id, facts.paused, facts.connection, refused)


async def _look(context: Context, subject: Subject, facts: ClusterFacts, cluster: KafkaCluster) -> Look | None:
    """What the brokers say of themselves; None while they are asked."""
    look = result_of(facts, subject)
    if look is None and facts.look is None:
        connection = await connection_of(context, cluster)
        await recall_cluster(context, subject.key, facts)
        start_look(context, subject, facts, cluster, connection)
    return look


async def _while_asked(
    context: Context, subject: Subject, facts: ClusterFacts, fields: dict[str, Any], before: object
) -> Requeue:
    """Brokers that do not answer keep nobody from pausing."""
    if facts.paused:
        status = (context.store.get(_KIND, subject.key) or {}).get("status") or {}
        others = [one for one in status.get("conditions", ()) if one["type"] != "Ready"]
        verdicts = [Verdict(one["type"], one["status"], one["reason"], one["message"]) for one in others]
        await write_status(context, _KIND, subject, fields=fields, verdicts=[_PAUSED, *verdicts])
    if before != _told_of(facts):
        _wake(context, subject.key)
    return Requeue(waiting=True)


async def _take(
    context: Context, facts: ClusterFacts, cluster: KafkaCluster, look: Look, fields: dict[str, Any]
) -> tuple[list[Verdict], dict[str, Any], float | None]:
    """Verdicts, fields, and the seconds after which it is to be looked at again, None for the resync."""
    connection, seen, key = look.connection, look.seen, Key(cluster.metadata.namespace, cluster.metadata.name)
    facts.connection, facts.seen, facts.cluster_id, facts.trouble = connection, seen, seen.cluster_id, None
    if facts.inventory_verdict is None:
        await poll_inventory(context, key)
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
    verdicts = [
        _standing(cluster, facts, seen),
        topics_verdict(wanted_topics(cluster, len(seen.brokers)), seen, look.created, withheld=look.withheld),
        telemetry_verdict(seen),
        subscriptions_verdict(seen, answered=answered),
    ]
    if look.withheld is not None and not facts.paused and not cluster.spec.suspend:
        # It was paused when the brokers were asked.
        return verdicts, fields, 0.0
    may_pass = any(isinstance(one, TransientError) for one in (seen.refused, *look.created.values()))
    return verdicts, fields, _AGAIN_SECONDS if may_pass or seen.hidden_topics else None


def _standing(cluster: KafkaCluster, facts: ClusterFacts, seen: ClusterDescription) -> Verdict:
    if facts.paused:
        return _PAUSED
    if cluster.spec.suspend:
        message = "no subscription of this cluster is on its brokers and nothing is created there, as spec.suspend says"
        return ready("Suspended", message)
    return ready("Connected", f"connected to {seen.cluster_id} with {len(seen.brokers)} brokers")


def _sharing(context: Context, key: Key, cluster_id: str) -> list[Key]:
    return [
        other
        for other, body in context.store.items(_KIND)
        if other != key and (body.get("status") or {}).get("clusterId") == cluster_id
    ]


def _wake(context: Context, key: Key) -> None:
    # What was refused may be allowed by now.
    context.told(BrokerConfigs(key))
    for kind in _DEPENDENTS:
        for other, body in context.store.items(kind):
            reference = body.get("spec", {}).get("clusterRef", {})
            if Key(reference.get("namespace") or other.namespace, reference.get("name", "")) == key:
                context.enqueue(kind, other, 0.0)
