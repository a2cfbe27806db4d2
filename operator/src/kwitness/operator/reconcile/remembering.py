"""Keeping what must not be forgotten of a KafkaCluster in a ConfigMap that goes with it."""

from __future__ import annotations

import logging
from typing import Any

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.context import ClusterFacts, Context
from kwitness.operator.desired.pods import child_metadata
from kwitness.operator.model.cluster_memory import ClusterMemory, UnreadableMemoryError
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError
from kwitness.operator.model.ownership import belongs_to
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.runtime.child_names import cluster_memory_name

__all__ = ["recall_cluster", "remember_cluster"]

_KIND = "KafkaCluster"
_log = logging.getLogger(__name__)


async def recall_cluster(context: Context, key: Key, facts: ClusterFacts) -> None:
    """Read the memory of cluster ``key``, once in the life of the process.

    One that cannot be read, or that is of another KafkaCluster of that name, is left alone and says nothing.

    Raises
    ------
    KubernetesUnavailableError
        The API server does not answer.
    """
    if facts.recalled:
        return
    name = cluster_memory_name(key.name)
    body = context.store.get(_KIND, key)
    try:
        found = await context.kubernetes.get("ConfigMap", key.namespace, name)
        if found is not None and body is not None and _is_of(found, body):
            remembered = ClusterMemory.read(found.get("data") or {})
            for software in facts.memory.items():
                remembered.see(*software)
            facts.memory = remembered
    except KubernetesUnavailableError:
        raise
    except UnreadableMemoryError as error:
        facts.unreadable_memory = f"ConfigMap {name} cannot be read ({error}): delete it, or put back what it held"
        _log.warning("Unreadable memory of a cluster", extra={"key": str(key), "reason": str(error)})
    except OperatorError as error:
        _log.warning("Memory of a cluster cannot be read", extra={"key": str(key), "reason": error.reason})
    facts.recalled = True


async def remember_cluster(context: Context, key: Key, facts: ClusterFacts) -> None:
    """Write the memory of cluster ``key`` where it changed; without the permission it lasts as long as this process.

    Raises
    ------
    KubernetesUnavailableError
        The API server does not answer.
    """
    body = context.store.get(_KIND, key)
    if facts.cluster_id is None or body is None or "deletionTimestamp" in body["metadata"] or facts.paused:
        return
    if facts.unreadable_memory is not None and await _is_still_there(context, key):
        return
    facts.unreadable_memory = None
    facts.memory = facts.memory.of(facts.cluster_id)
    data = facts.memory.data(context.clock.now_ms())
    if data == facts.remembered:
        return
    try:
        await context.kubernetes.apply(_config_map(body, data))
    except KubernetesUnavailableError:
        raise
    except OperatorError as error:
        _log.warning("Memory of a cluster cannot be written", extra={"key": str(key), "reason": error.reason})
    facts.remembered = data


async def _is_still_there(context: Context, key: Key) -> bool:
    return await context.kubernetes.get("ConfigMap", key.namespace, cluster_memory_name(key.name)) is not None


def _is_of(config_map: dict[str, Any], body: dict[str, Any]) -> bool:
    metadata = body["metadata"]
    same = [one["uid"] == metadata["uid"] for one in config_map["metadata"].get("ownerReferences", ())]
    # One that a restore brought has no owner any more, or the resource that stood there before.
    return belongs_to(config_map, {"kind": _KIND, "name": metadata["name"]}) and all(same)


def _config_map(body: dict[str, Any], data: dict[str, str]) -> dict[str, Any]:
    metadata = parse_resource(KafkaCluster, body).metadata
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": child_metadata(_KIND, "cluster", cluster_memory_name(metadata.name), metadata),
        "data": data,
    }
