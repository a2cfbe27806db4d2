"""Decides which KafkaCluster lists a register, and so which keys it may claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.resources.header_registry import HeaderKey, HeaderRegistry
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.listed_registries import ListedRegistries
from kwitness.contracts.resources.namespace_template import prefix_of_namespace
from kwitness.operator.environment.clusters import cluster_named, present
from kwitness.operator.environment.needs import known_cluster, settled_seconds
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, cluster_of, depends_on_labels
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Every, Labels, Watched
from kwitness.operator.shapes.work import Need, View

__all__ = ["Listing", "home_of", "listing_needs", "listing_of"]

_OWN_NAMESPACE: Final = -1
"""The rank of registers of the KafkaCluster's own namespace, where it has no list."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The entry of ``cluster`` that selects a register, by its place in the list; with ``prefix`` it bounds keys."""

    cluster: Key
    rank: int
    prefix: str | None = None

    def allows(self, key: HeaderKey) -> bool:
        """Whether the register may have a key of its spec."""
        return self.prefix is None or (key.name.startswith(self.prefix) and key.id is None)


def home_of(key: Key, body: Body) -> str:
    """Return the namespace of the KafkaClusters for which a register claims keys."""
    return (cluster_of(key, body) or key).namespace


def listing_needs(resource: HeaderRegistry, view: View) -> set[Need]:
    """Return what decides whether a register is listed."""
    own, reference = resource.metadata.namespace, resource.spec.cluster_ref
    if reference is None:
        found, clusters = {Need(Every("KafkaCluster"))}, list(_clusters_of(own, view))
    else:
        at = cluster_key(own, reference)
        found, known = {Need(Watched("KafkaCluster", at))}, known_cluster(view, at)
        clusters = [] if known is None else [known]
    if any(_depends_on_labels(cluster, own) for cluster in clusters):
        found.add(Need(Labels(own), settled_seconds(view)))
    return found


def listing_of(resource: HeaderRegistry, view: View) -> Listing:
    """Return the first entry that selects a register.

    Raises
    ------
    TerminalError
        NotListed: no entry selects it. RefNotPermitted.
    TransientError
        It is not known: the KafkaCluster is not there, or cannot be read, which takes nothing from anybody.
    """
    own = resource.metadata.namespace
    key = Key(own, resource.metadata.name)
    clusters = _clusters(resource, view)
    listings = (_listing(cluster, key, _labels(cluster, own, view)) for cluster in clusters)
    found = [listing for listing in listings if listing is not None]
    if not found:
        names = " and ".join(f"{cluster.metadata.namespace}/{cluster.metadata.name}" for cluster in clusters)
        raise TerminalError(
            "NotListed",
            f"it claims no keys, since spec.headerRegistries of KafkaCluster {names} does not list it: its owner can"
            f" add name {key.name} with namespace {key.namespace}, or namespaceSelector and template for all registers"
            " of this namespace; for another KafkaCluster, change spec.clusterRef",
        )
    return min(found, key=lambda listing: (listing.rank, listing.cluster))


def _clusters(resource: HeaderRegistry, view: View) -> list[KafkaCluster]:
    own, reference = resource.metadata.namespace, resource.spec.cluster_ref
    if reference is not None:
        known = known_cluster(view, cluster_key(own, reference))
        if known is not None:
            # While labels cannot be read, it is not known whether the reference is allowed.
            _labels(known, own, view)
        try:
            return [cluster_named(reference, own, view)]
        except TerminalError as error:
            if known is None:
                raise TransientError(error.reason, error.message) from error
            raise
    found = list(_clusters_of(own, view))
    if not found:
        raise TransientError(
            "ClusterNotReady",
            f"it claims no new keys, since there is no KafkaCluster in namespace {own}: apply one, or name in"
            " spec.clusterRef a KafkaCluster of another namespace, which must list this register",
        )
    return found


def _clusters_of(namespace: str, view: View) -> Iterator[KafkaCluster]:
    """The KafkaClusters of a namespace that can be read; the others' own statuses say what is wrong."""
    answer = view.get(Every("KafkaCluster"))
    for body in (answer.value or ()) if answer is not None else ():
        if body["metadata"]["namespace"] == namespace:
            try:
                yield parse_resource(KafkaCluster, body)
            except OperatorError:
                continue


def _depends_on_labels(cluster: KafkaCluster, namespace: str) -> bool:
    selects = any(entry.namespace_selector is not None for entry in cluster.spec.header_registries or ())
    return selects or depends_on_labels(cluster, namespace)


def _labels(cluster: KafkaCluster, namespace: str, view: View) -> Mapping[str, str] | None:
    return present(view, Labels(namespace)) if _depends_on_labels(cluster, namespace) else None


def _listing(cluster: KafkaCluster, key: Key, labels: Mapping[str, str] | None) -> Listing | None:
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    if cluster.spec.header_registries is None:
        return Listing(at, _OWN_NAMESPACE) if key.namespace == at.namespace else None
    for rank, entry in enumerate(cluster.spec.header_registries):
        if _selects(entry, at.namespace, key, labels):
            template = entry.template
            return Listing(at, rank, None if template is None else prefix_of_namespace(template, key.namespace))
    return None


def _selects(entry: ListedRegistries, home: str, key: Key, labels: Mapping[str, str] | None) -> bool:
    if entry.namespace_selector is None:
        return key == Key(entry.namespace or home, entry.name or "")
    return labels is not None and entry.namespace_selector.matches(labels)
