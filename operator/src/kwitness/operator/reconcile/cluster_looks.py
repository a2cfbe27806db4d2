"""Looks at Kafka clusters, beside the workers: none waits for brokers, and dead ones hold up nobody else."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.kafka_cluster_status import topic_names
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.errors import KubernetesUnavailableError, OvertakenError, TerminalError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.pause import stands_still
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.inventory import poll_inventory
from kwitness.operator.reconcile.kafka_credentials import connection_of
from kwitness.operator.reconcile.remembering import recall_cluster, remember_cluster
from kwitness.operator.reconcile.unexpected import as_operator_error
from kwitness.operator.shapes.facts import Body, BrokersSeen, KafkaState, SameKafka
from kwitness.operator.shapes.subscription_facts import BrokerConfigs

__all__ = ["look_again", "look_at_brokers", "may_write", "slots_of"]

_KIND = "KafkaCluster"


def may_write(context: Context, key: Key, uid: str) -> bool:
    """Whether a KafkaCluster is still the one with ``uid`` and not paused; asked before each write, in its thread."""
    body = context.store.get(_KIND, key)
    return body is not None and body["metadata"].get("uid") == uid and not stands_still(body)


def slots_of(context: Context, facts: ClusterFacts) -> asyncio.Semaphore:
    """Where a call to the brokers of a cluster waits for its turn."""
    return context.slots.of_failing if facts.trouble is not None else context.slots.others


def look_again(context: Context, key: Key) -> None:
    """Have a cluster looked at whose brokers did not do what the last look lets expect."""
    body = context.store.get(_KIND, key)
    if body is not None:
        context.ask_again(BrokersSeen.of(body))


async def look_at_brokers(context: Context, fact: BrokersSeen) -> ClusterDescription:
    """Ask the brokers of a KafkaCluster, and let everybody know what is known of them from now on.

    Raises
    ------
    OvertakenError
        The KafkaCluster is not the one that was to be looked at any more.
    KubernetesUnavailableError
        The API server could not be asked for its Secrets; that says nothing about the cluster.
    OperatorError
        Why the cluster cannot be worked with; everybody else knows it too.
    """
    key = fact.cluster
    body = _present(context, fact)
    facts = context.clusters.setdefault(key, ClusterFacts())
    facts.paused, facts.uid = stands_still(body), fact.uid
    before, led_to = _told_of(facts), facts.cluster_id
    try:
        cluster = parse_resource(KafkaCluster, body)
        connection = await connection_of(context, cluster)
        await recall_cluster(context, key, facts)
        async with slots_of(context, facts):
            expected = _expected(cluster, _present(context, fact), facts)
            seen = await _ask(context, cluster, connection, expected, reached=facts.seen is not None)
        _present(context, fact)
        await _take(context, key, facts, replace(connection, cluster_id=seen.cluster_id), seen)
    except (KubernetesUnavailableError, OvertakenError):
        raise
    except Exception as caught:
        trouble = as_operator_error(caught, _KIND, key)
        _present(context, fact)
        facts.seen = None
        facts.trouble = f"KafkaCluster {key.name} is not ready ({trouble.reason}): see its status"
        _tell(context, key, facts, before)
        raise trouble from caught
    _tell(context, key, facts, before)
    if facts.cluster_id != led_to:
        for one in (led_to, facts.cluster_id):
            if one is not None:
                context.told(SameKafka(one))
    return seen


def _present(context: Context, fact: BrokersSeen) -> Body:
    body = context.store.get(_KIND, fact.cluster)
    if body is None or BrokersSeen.of(body) != fact:
        raise OvertakenError
    return body


def _expected(cluster: KafkaCluster, body: Body, facts: ClusterFacts) -> str | None:
    """The id of the cluster that the addresses must lead to; None where that is to be found out."""
    return cluster.spec.cluster_id or (body.get("status") or {}).get("clusterId") or facts.memory.cluster_id


async def _ask(
    context: Context, cluster: KafkaCluster, connection: KafkaConnection, expected: str | None, *, reached: bool
) -> ClusterDescription:
    listeners = tuple(one.name for one in cluster.spec.listeners)
    seen = await context.kafka.observe(connection, topic_names(cluster), listeners, reached=reached)
    if expected is not None and expected != seen.cluster_id:
        raise TerminalError(
            "ClusterIdChanged",
            f"the addresses lead to cluster {seen.cluster_id}, not to {expected}; nothing is applied to it. If that is"
            f" meant, set spec.clusterId to {seen.cluster_id}",
        )
    return seen


async def _take(
    context: Context, key: Key, facts: ClusterFacts, connection: KafkaConnection, seen: ClusterDescription
) -> None:
    facts.connection, facts.seen, facts.cluster_id, facts.trouble = connection, seen, seen.cluster_id, None
    if facts.inventory_verdict is None:
        await poll_inventory(context, key)
    facts.offering = frozenset(str(one.id) for one in seen.brokers if one.telemetry is not False)
    await remember_cluster(context, key, facts)
    told = [one.listeners for one in seen.brokers if one.listeners is not None]
    facts.listeners = tuple(listener for listeners in told for listener in listeners) if told else facts.listeners


def _tell(context: Context, key: Key, facts: ClusterFacts, before: object) -> None:
    facts.checked = True
    context.told(KafkaState(key))
    if before != _told_of(facts):
        # What was refused may be allowed by now.
        context.told(BrokerConfigs(key))


def _told_of(facts: ClusterFacts) -> object:
    """What makes the subscriptions of a cluster worth another look when it changes."""
    refused = None if facts.seen is None or facts.seen.refused is None else str(facts.seen.refused)
    return (facts.checked, facts.trouble, facts.cluster_id, facts.connection, refused)
