"""Looks at Kafka clusters, each a task of its own: no worker waits for brokers, dead ones hold up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator import metrics
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.context import ClusterFacts, Context, Look
from kwitness.operator.desired.kafka_cluster_status import topic_names, wanted_topics
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.references import ACCEPT_ANNOTATION
from kwitness.operator.model.store import Key, Subject

__all__ = ["may_write", "result_of", "start_look"]

_KIND = "KafkaCluster"
_OF_TOPICS = frozenset({"TopicsMissing", "TopicsRefused"})


def may_write(context: Context, key: Key, uid: str) -> bool:
    """Whether a KafkaCluster is still the one with ``uid`` and not paused; asked before each write, in its thread."""
    body = context.store.get(_KIND, key)
    return (
        body is not None
        and body["metadata"].get("uid") == uid
        and not is_paused(body["metadata"].get("annotations") or {})
    )


def result_of(facts: ClusterFacts, subject: Subject) -> Look | None:
    """What the look at ``subject`` found, once and if it has ended; one at an earlier generation is given up.

    Raises
    ------
    OperatorError
        Why it failed.
    """
    if facts.look is None:
        return None
    looked_at, task = facts.look
    if looked_at == subject and not task.done():
        return None
    facts.look = None
    if looked_at != subject:
        task.cancel()
        return None
    return task.result()


def start_look(
    context: Context, subject: Subject, facts: ClusterFacts, cluster: KafkaCluster, connection: KafkaConnection
) -> None:
    """Have the cluster looked at; when that has ended its KafkaCluster is woken."""
    expected = (
        cluster.spec.cluster_id
        or cluster.metadata.annotations.get(ACCEPT_ANNOTATION)
        or ((context.store.get(_KIND, subject.key) or {}).get("status") or {}).get("clusterId")
        or facts.memory.cluster_id
    )
    slots = context.slots.of_failing if facts.trouble is not None else context.slots.others

    async def look() -> Look:
        async with slots:
            return await _look(context, subject, cluster, connection, expected)

    def ended(task: asyncio.Task[Look]) -> None:
        if not task.cancelled():
            task.exception()  # whoever asks for the result meets it; if nobody does, it is no news
            context.enqueue(_KIND, subject.key, 0.0)

    task = asyncio.create_task(look(), name=f"look at {subject.key}")
    task.add_done_callback(ended)
    facts.look = (subject, task)


async def _look(
    context: Context, subject: Subject, cluster: KafkaCluster, connection: KafkaConnection, expected: str | None
) -> Look:
    listeners = tuple(one.name for one in cluster.spec.listeners)
    seen = await context.kafka.observe(connection, topic_names(cluster), listeners)
    if expected is not None and expected != seen.cluster_id:
        raise TerminalError(
            "ClusterIdChanged",
            f"the addresses lead to cluster {seen.cluster_id}, not to {expected}; nothing is applied to it. If that is"
            f" meant, set spec.clusterId, or the annotation {ACCEPT_ANNOTATION}, to {seen.cluster_id}",
        )
    connection = replace(connection, cluster_id=seen.cluster_id)
    if cluster.spec.suspend:
        return Look(connection, seen, {}, "not there, and not created while spec.suspend is true")
    if not may_write(context, subject.key, subject.uid):
        return Look(connection, seen, {}, "not there, and not created while the KafkaCluster is paused")
    return Look(connection, seen, await _create_missing(context, subject, cluster, connection, seen), None)


async def _create_missing(
    context: Context,
    subject: Subject,
    cluster: KafkaCluster,
    connection: KafkaConnection,
    seen: ClusterDescription,
) -> Mapping[str, OperatorError | None]:
    missing = tuple(
        topic
        for topic in wanted_topics(cluster, len(seen.brokers))
        if topic.name not in seen.topics and topic.name not in seen.hidden_topics
    )
    if not missing:
        return {}
    try:
        results = await context.kafka.create_topics(
            connection, missing, holds=lambda: may_write(context, subject.key, subject.uid)
        )
    except OperatorError as error:
        if error.reason not in _OF_TOPICS:
            raise
        return dict.fromkeys([topic.name for topic in missing], error)
    made = [name for name, trouble in results.items() if trouble is None]
    metrics.BROKER_WRITES.labels(operation="create_topic").inc(len(made))
    return results
