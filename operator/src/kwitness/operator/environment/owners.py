"""Whose clients are: the owners that a KafkaCluster names."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.collectors import acts_for_all
from kwitness.operator.model.config_files import owners_in
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.found_owners import NO_OWNERS, FoundOwners
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import NamedObject
from kwitness.operator.shapes.work import View

__all__ = ["owners_fact", "owners_for_collector", "owners_of"]


def owners_fact(cluster: KafkaCluster) -> NamedObject | None:
    """Where they are written down; None where none are named."""
    if cluster.spec.owners is None:
        return None
    return NamedObject("ConfigMap", Key(cluster.metadata.namespace, cluster.spec.owners.config_map_ref.name))


def owners_of(cluster: KafkaCluster, view: View) -> FoundOwners:
    """Owners, if any are named and can be used, and why those that are named cannot be."""
    fact = owners_fact(cluster)
    if fact is None or cluster.spec.owners is None:
        return NO_OWNERS
    try:
        file = owners_in(present(view, fact), cluster.spec.owners.config_map_ref, fact.key.namespace)
    except OperatorError as error:
        return FoundOwners(trouble=error.message)
    return FoundOwners(file.owners, overlap=file.overlap)


def owners_for_collector(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> FoundOwners:
    """Owners that a collector may know: all where it acts for the cluster or is beside it, else its namespace's."""
    found, namespace = owners_of(cluster, view), collector.metadata.namespace
    if namespace == cluster.metadata.namespace or acts_for_all(collector, cluster, view):
        return found
    return found.of_namespace(namespace, Key(cluster.metadata.namespace, cluster.metadata.name))
