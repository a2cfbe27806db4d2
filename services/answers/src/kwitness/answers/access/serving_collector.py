"""Which KafkaCluster is meant, and which TelemetryCollector acts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.cluster_reference import cluster_of
from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.serving_collectors import collector_of_cluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector

__all__ = ["find_cluster", "find_collector", "parsed"]

Resource = TypeVar("Resource", bound=BaseModel)


def find_cluster(access: ClusterAccess, name: str | None) -> KafkaCluster:
    """Return the KafkaCluster ``name`` or ``NAMESPACE/NAME``; without a name the only one of the namespace.

    Raises
    ------
    CommandFailedError
        There is none, or without a name there are several.
    """
    if name is not None:
        namespace, _, own = name.rpartition("/")
        found = access.get("KafkaCluster", own, namespace or None)
        if found is None:
            raise CommandFailedError(
                f"there is no KafkaCluster {own} in namespace {namespace or access.namespace}: name another by "
                "--cluster, or its namespace by --namespace"
            )
        return parsed(KafkaCluster, found)
    items = access.items("KafkaCluster", access.namespace)
    match items:
        case [one]:
            return parsed(KafkaCluster, one)
        case []:
            raise CommandFailedError(
                f"there is no KafkaCluster in namespace {access.namespace}: name one by --cluster NAMESPACE/NAME, or "
                "its namespace by --namespace"
            )
        case _:
            names = ", ".join(one["metadata"]["name"] for one in items)
            raise CommandFailedError(f"namespace {access.namespace} has several KafkaClusters ({names}): use --cluster")


def find_collector(access: ClusterAccess, cluster: KafkaCluster) -> TelemetryCollector:
    """Return the TelemetryCollector that acts for ``cluster``.

    Raises
    ------
    CommandFailedError
        There is none, or it is suspended.
    NotPermittedError
        TelemetryCollectors of its namespace may not be listed.
    """
    reference, home, name = cluster.spec.collector_ref, cluster.metadata.namespace, cluster.metadata.name
    at = home if reference is None else reference.namespace or home
    bodies = (body for body in access.items("TelemetryCollector", at) if cluster_of(body) == (home, name))
    acting = collector_of_cluster(cluster, [parsed(TelemetryCollector, body) for body in bodies])
    if acting is None:
        missing = "one there" if reference is None else f"{reference.name} there, which spec.collectorRef names"
        raise CommandFailedError(
            f"no TelemetryCollector of namespace {at} acts for KafkaCluster {name} of namespace {home}, so nothing is "
            f"known of its clients: apply {missing}, with this cluster in spec.clusterRef"
        )
    if acting.spec.suspend:
        raise CommandFailedError(
            f"TelemetryCollector {acting.metadata.name} is suspended, so nobody answers: set spec.suspend to false"
        )
    return acting


def parsed(model: type[Resource], body: Mapping[str, Any]) -> Resource:
    """Return a resource as its model; a status of another release is left out.

    Raises
    ------
    CommandFailedError
        Its spec is not of this release.
    """
    for content in (body, {name: value for name, value in body.items() if name != "status"}):
        try:
            return model.model_validate(content)
        except ValidationError as error:
            failure = error
    issue = failure.errors()[0]
    field = ".".join(str(part) for part in issue["loc"])
    raise CommandFailedError(
        f"{body['kind']} {body['metadata']['name']} is not as this release of kwitness has it ({field}: "
        f"{issue['msg']}): use the command of the release that is installed"
    ) from failure
