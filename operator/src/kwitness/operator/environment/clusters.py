"""The cluster that a resource names, and who else names it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.references import ClusterRef
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, depends_on_labels, may_refer
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import ClusterKnowledge, Fact, Labels, Referring, Watched
from kwitness.operator.shapes.work import View

__all__ = [
    "Reporting",
    "cluster_identity",
    "cluster_named",
    "key_of",
    "may_refer_to",
    "permitted_cluster",
    "present",
    "referring",
]

M = TypeVar("M", TelemetryCollector, ObserverDeployment, InterceptorProfile, AnalyticsJob)
T = TypeVar("T")

Reporting = ObserverDeployment | InterceptorProfile
"""Resources whose pods report to the collector of a cluster."""


def present(view: View, fact: Fact[T]) -> T | None:
    """Return what a fact says, None if it is not there.

    Raises
    ------
    OperatorError
        It could not be found out.
    """
    answer = view[fact]
    if answer.failure is not None:
        raise answer.failure
    return answer.value


def cluster_identity(known: ClusterKnowledge | None, name: str) -> tuple[str, tuple[int, ...]]:
    """Cluster id and node ids.

    Raises
    ------
    TransientError
        ClusterNotReady: it was never reached.
    """
    if known is None or known.cluster_id is None or not known.node_ids:
        trouble = known.trouble if known is not None else None
        raise TransientError("ClusterNotReady", trouble or f"KafkaCluster {name} has not been reached yet: wait")
    return known.cluster_id, known.node_ids


def permitted_cluster(resource: Reporting | AnalyticsJob, view: View) -> KafkaCluster:
    """Return the KafkaCluster that a resource names and may refer to.

    Raises
    ------
    TerminalError
        See `cluster_named`.
    """
    return cluster_named(resource.spec.cluster_ref, resource.metadata.namespace, view)


def cluster_named(reference: ClusterRef, own: str, view: View, *, where: str = "spec") -> KafkaCluster:
    """Return the KafkaCluster that may be referred to from namespace ``own``; ``where`` has the clusterRef.

    Raises
    ------
    TerminalError
        ClusterNotReady: there is none in the same namespace; RefNotPermitted, which does not tell whether there is one
        elsewhere.
    """
    at = cluster_key(own, reference)
    body = view[Watched("KafkaCluster", at)].value
    if body is None and at.namespace == own:
        raise TerminalError(
            "ClusterNotReady",
            f"there is no KafkaCluster {at.name} in this namespace: apply it, or correct {where}.clusterRef",
        )
    if body is not None:
        cluster = parse_resource(KafkaCluster, body)
        if may_refer_to(cluster, own, view):
            return cluster
    raise TerminalError(
        "RefNotPermitted",
        f"KafkaCluster {at} may not be referred to from namespace {own}: its owner can allow it in"
        " spec.allowedNamespaces",
    )


def referring(model: type[M], cluster: KafkaCluster, view: View) -> Iterator[M]:
    """Resources that may name the cluster and can be read; the others' own statuses say what is wrong."""
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    for resource in view.resources(model, Referring(model.__name__, at)):
        if may_refer_to(cluster, resource.metadata.namespace, view):
            yield resource


def may_refer_to(cluster: KafkaCluster, namespace: str, view: View) -> bool:
    """Whether resources of a namespace may name the cluster, as far as is known now."""
    answer = view.get(Labels(namespace)) if depends_on_labels(cluster, namespace) else None
    return may_refer(cluster, namespace, None if answer is None else answer.value)


def key_of(resource: Reporting | TelemetryCollector) -> tuple[str, str]:
    """Namespace and name."""
    return resource.metadata.namespace, resource.metadata.name
