"""Creating the platform's topics where they are missing."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.operator import metrics
from kwitness.operator.context import Context
from kwitness.operator.model.errors import OperatorError, OvertakenError
from kwitness.operator.reconcile.cluster_looks import may_write, slots_of
from kwitness.operator.shapes.actions import CreateTopics

__all__ = ["create_topics"]

_OF_TOPICS = frozenset({"TopicsMissing", "TopicsRefused"})
"""Reasons that say nothing against the cluster itself."""


async def create_topics(context: Context, action: CreateTopics) -> Mapping[str, OperatorError | None]:
    """Create them; return by topic what the brokers refused it for, None where it is there.

    Raises
    ------
    OvertakenError
        The KafkaCluster is another one by now, paused, or leads elsewhere; nothing was created.
    OperatorError
        The brokers could not be asked.
    """
    facts = context.clusters.get(action.cluster)
    if facts is None or facts.connection is None or facts.connection.cluster_id != action.cluster_id:
        raise OvertakenError
    try:
        async with slots_of(context, facts):
            results = await context.kafka.create_topics(
                facts.connection, action.topics, holds=lambda: may_write(context, action.cluster, action.uid)
            )
    except OperatorError as error:
        if error.reason not in _OF_TOPICS:
            raise
        return dict.fromkeys([topic.name for topic in action.topics], error)
    made = [name for name, trouble in results.items() if trouble is None]
    metrics.BROKER_WRITES.labels(operation="create_topic").inc(len(made))
    return results
