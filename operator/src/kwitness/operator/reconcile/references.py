"""Who may refer to which KafkaCluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any, TypeVar

from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.references import ClusterRef
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.context import Context
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TerminalError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, cluster_of, depends_on_labels, may_refer
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.namespaces import labels_of_namespace

__all__ = ["deleted_subscriptions_of", "referred_cluster", "referring"]

R = TypeVar("R", InterceptorProfile, ObserverDeployment, TelemetryCollector)


async def referred_cluster(context: Context, namespace: str, reference: ClusterRef) -> KafkaCluster:
    """Return the KafkaCluster if it may be referred to from ``namespace``.

    Raises
    ------
    TerminalError
        RefNotPermitted, which does not tell whether a cluster elsewhere exists, or ClusterNotReady for one that does
        not exist in the same namespace.
    KubernetesUnavailableError
        The labels of ``namespace`` could not be read.
    """
    key = cluster_key(namespace, reference)
    body = context.store.get("KafkaCluster", key)
    if key.namespace == namespace:
        if body is None:
            raise TerminalError(
                "ClusterNotReady",
                f"there is no KafkaCluster {key.name} in this namespace: apply it, or correct spec.clusterRef",
            )
        return parse_resource(KafkaCluster, body)
    if body is not None:
        cluster = parse_resource(KafkaCluster, body)
        if await _permits(context, cluster, namespace):
            return cluster
    raise TerminalError(
        "RefNotPermitted",
        f"KafkaCluster {key} may not be referred to from namespace {namespace}: its owner can allow it in"
        " spec.allowedNamespaces",
    )


async def referring(context: Context, model: type[R], cluster: Key) -> AsyncIterator[R]:
    """Resources of a kind that name ``cluster`` and may; the others' own statuses say what is wrong.

    Raises
    ------
    KubernetesUnavailableError
        The labels of a namespace could not be read.
    """
    for key, body in context.store.items(model.__name__):
        if cluster_of(key, body) != cluster:
            continue
        try:
            resource = parse_resource(model, body)
            await referred_cluster(context, key.namespace, resource.spec.cluster_ref)
        except KubernetesUnavailableError:
            raise
        except OperatorError:
            continue
        yield resource


def deleted_subscriptions_of(context: Context, cluster: Key) -> dict[Key, dict[str, Any]]:
    """The last bodies of the deleted ones that named ``cluster`` and of which something may be left on a broker."""
    return _naming(context.store.deleted("ClientMetricsSubscription"), cluster)


def _naming(resources: Iterable[tuple[Key, dict[str, Any]]], cluster: Key) -> dict[Key, dict[str, Any]]:
    return {key: body for key, body in resources if cluster_of(key, body) == cluster}


async def _permits(context: Context, cluster: KafkaCluster, namespace: str) -> bool:
    labels = await labels_of_namespace(context, namespace) if depends_on_labels(cluster, namespace) else None
    return may_refer(cluster, namespace, labels)
