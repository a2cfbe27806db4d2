"""Whether the owners that a KafkaCluster names can be used."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.context import Context
from kwitness.operator.model.config_files import overlap_message, owners_in
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError

__all__ = ["warnings_of_owners"]


async def warnings_of_owners(context: Context, cluster: KafkaCluster) -> dict[str, str]:
    """What is wrong with them, by type of warning; nothing where none are named.

    Raises
    ------
    KubernetesUnavailableError
        The API server does not answer.
    """
    found: dict[str, str] = {}
    if cluster.spec.owners is None:
        return found
    reference, namespace = cluster.spec.owners.config_map_ref, cluster.metadata.namespace
    try:
        owners = owners_in(await context.kubernetes.get("ConfigMap", namespace, reference.name), reference, namespace)
    except KubernetesUnavailableError:
        raise
    except OperatorError as error:
        found["InvalidOwners"] = f"{error.message}; until then analyses name no owners"
        return found
    message = overlap_message(owners)
    if message is not None:
        found["OverlappingOwners"] = message
    return found
