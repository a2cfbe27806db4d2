"""What is left on brokers behind a KafkaCluster that was deleted, and complete lists of subscriptions."""

from __future__ import annotations

from collections.abc import Iterable

from kwitness.operator.context import Context
from kwitness.operator.desired.orphans import Remaining, orphans, own_names
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.store import Key

__all__ = ["complete_names", "find_forsaken", "known_id"]

_KIND = "ClientMetricsSubscription"


async def find_forsaken(
    context: Context, cluster: Key, cluster_id: str | None, present: Iterable[str]
) -> frozenset[str]:
    """Names among ``present`` that may be removed from the brokers of ``cluster``, which was deleted."""
    names = own_names(present, context.installation, context.settings.watches)
    deleted = {key for key, _ in context.store.deleted(_KIND)}
    unknown = {key.namespace for key in names.values() if key not in deleted and context.store.get(_KIND, key) is None}
    lists = {namespace: await complete_names(context, namespace) for namespace in sorted(unknown)}
    known = Remaining(
        cluster,
        cluster_id,
        body=lambda key: context.store.get(_KIND, key),
        deleted=deleted,
        complete=lists.get,
        id_of=lambda key: known_id(context, key),
        forsaken=True,
    )
    return orphans(names, known)


def known_id(context: Context, cluster: Key) -> str | None:
    """The id of the Kafka cluster that a KafkaCluster led to when this process looked."""
    facts = context.clusters.get(cluster)
    return None if facts is None else facts.cluster_id


async def complete_names(context: Context, namespace: str) -> frozenset[str] | None:
    """Names of a namespace's subscriptions, None where not both these and the KafkaClusters could be listed."""
    try:
        await context.kubernetes.list("KafkaCluster", namespace)
        found = await context.kubernetes.list(_KIND, namespace)
    except OperatorError:
        return None
    return frozenset(body["metadata"]["name"] for body in found)
