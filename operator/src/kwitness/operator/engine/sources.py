"""Where answers come from: what the operator has in memory, and what has to be asked for."""

from __future__ import annotations

from typing import Any, Final

from kwitness.operator.context import Context
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.references import cluster_of
from kwitness.operator.shapes.facts import (
    ClusterKnowledge,
    Fact,
    Inventory,
    KafkaState,
    Labels,
    NamedObject,
    Referring,
    Watched,
)

__all__ = ["fetch", "is_in_memory", "recall"]

_IN_MEMORY: Final = (Watched, Referring, KafkaState, Inventory)


def is_in_memory(fact: Fact[Any]) -> bool:
    """Whether a fact is known without asking anybody; whoever changes it tells the engine."""
    return isinstance(fact, _IN_MEMORY)


def recall(context: Context, fact: Fact[Any]) -> Any:
    """The value of a fact that is in memory."""
    match fact:
        case Watched(kind, key):
            return context.store.get(kind, key)
        case Referring(kind, cluster):
            return tuple(body for key, body in sorted(context.store.items(kind)) if cluster_of(key, body) == cluster)
        case KafkaState(cluster):
            return _cluster_knowledge(context, cluster)
        case Inventory(cluster):
            facts = context.clusters.get(cluster)
            known = facts is not None and facts.inventory_verdict is not None
            return facts.inventory if facts is not None and known and _answers(facts.inventory_verdict) else None
        case _:
            raise TypeError(f"{fact} is not in memory")


async def fetch(context: Context, fact: Fact[Any]) -> Any:
    """Ask for the value of a fact that is not in memory.

    Raises
    ------
    OperatorError
        It could not be found out.
    """
    match fact:
        case NamedObject(kind, key):
            return await context.kubernetes.get(kind, key.namespace, key.name)
        case Labels(namespace):
            return await _labels(context, namespace)
        case _:
            raise TypeError(f"{fact} cannot be asked for")


def _cluster_knowledge(context: Context, cluster: Any) -> ClusterKnowledge | None:
    facts = context.clusters.get(cluster)
    if facts is None or not facts.checked:
        return None
    # A broker's trouble must not take down what stands already, so the status serves where the process does not know.
    status = (context.store.get("KafkaCluster", cluster) or {}).get("status") or {}
    nodes = [one.id for one in facts.seen.brokers] if facts.seen else [one["id"] for one in status.get("brokers", ())]
    cluster_id = facts.cluster_id or status.get("clusterId")
    return ClusterKnowledge(cluster_id, tuple(sorted(nodes)), facts.trouble)


def _answers(verdict: Any) -> bool:
    return bool(verdict.status == "True")


async def _labels(context: Context, namespace: str) -> dict[str, str] | None:
    try:
        found = await context.kubernetes.get("Namespace", None, namespace)
    except OperatorError as error:
        if error.reason != "KubernetesForbidden":
            raise
        # Without the right to read namespaces nothing is known about their labels, so nothing is allowed.
        return None
    return None if found is None else dict(found["metadata"].get("labels") or {})
