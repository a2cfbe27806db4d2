"""The owners that a KafkaCluster names, read from their ConfigMap."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.context import Context
from kwitness.operator.model.config_files import overlap_message, owners_in
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError
from kwitness.operator.model.found_owners import NO_OWNERS, FoundOwners

__all__ = ["find_owners", "warnings_of_owners"]


async def find_owners(context: Context, cluster: KafkaCluster) -> FoundOwners:
    """Read them.

    Raises
    ------
    KubernetesUnavailableError
        The API server does not answer.
    """
    if cluster.spec.owners is None:
        return NO_OWNERS
    reference, namespace = cluster.spec.owners.config_map_ref, cluster.metadata.namespace
    try:
        body = await context.kubernetes.get("ConfigMap", namespace, reference.name)
        return FoundOwners(owners_in(body, reference, namespace))
    except KubernetesUnavailableError:
        raise
    except OperatorError as error:
        return FoundOwners(None, error.message)


async def warnings_of_owners(context: Context, cluster: KafkaCluster) -> dict[str, str]:
    """What is wrong with them, by type of warning; nothing where none are named.

    Raises
    ------
    KubernetesUnavailableError
        The API server does not answer.
    """
    found: dict[str, str] = {}
    owners, trouble = await find_owners(context, cluster)
    message = overlap_message(owners) if owners is not None else None
    if trouble is not None:
        found["InvalidOwners"] = f"{trouble}; until then analyses and clients name no owners"
    if message is not None:
        found["OverlappingOwners"] = message
    return found
