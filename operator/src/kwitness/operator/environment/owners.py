"""Finds the owners of clients, groups and topics of a KafkaCluster in the sources that it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kwitness.contracts.owners import OwnerSource
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.environment.clusters import present
from kwitness.operator.environment.collectors import acts_for_all
from kwitness.operator.environment.needs import settled_seconds
from kwitness.operator.model.combined_owners import combined_owners
from kwitness.operator.model.config_files import OwnersInFile, owners_in
from kwitness.operator.model.declared_owners import DeclaredEntries
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.found_owners import NO_OWNERS, FoundOwners
from kwitness.operator.model.owner_problems import about_declared, about_room, as_message
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import DeclaredOwners, NamedObject
from kwitness.operator.shapes.work import Need, View

__all__ = ["owner_needs", "owners_for_collector", "owners_of"]

_DECLARED_SECONDS: Final = 300.0
"""Between lists of objects that name owners: there may be thousands, and a driver starts again where they changed."""
_OF_STRIMZI: Final[tuple[OwnerSource, ...]] = ("KafkaUser", "KafkaTopic")


def owner_needs(cluster: KafkaCluster, view: View) -> set[Need]:
    """Return the facts that decide on the owners of a KafkaCluster."""
    file, resync = _file(cluster), view.settings.resync_seconds
    found = {Need(fact, min(_DECLARED_SECONDS, resync / 2)) for fact in _declared(cluster, view)}
    return found if file is None else found | {Need(file, settled_seconds(view))}


def owners_of(cluster: KafkaCluster, view: View) -> FoundOwners:
    """Return the owners of all sources that can be used.

    A source that cannot be read ends the list: a later one must not answer in its place.
    """
    sources, fact = cluster.spec.owners, _file(cluster)
    if sources is None:
        return NO_OWNERS
    file: OwnersInFile | None = None
    if fact is not None and sources.config_map_ref is not None:
        try:
            file = owners_in(present(view, fact), sources.config_map_ref, fact.key.namespace)
        except OperatorError as error:
            return FoundOwners(trouble=error.message)
    declared: list[DeclaredEntries] = []
    problems: list[str] = []
    for source in _declared(cluster, view):
        answer = view[source]
        if answer.failure is not None:
            problems.append(answer.failure.message)
        if answer.value is None:
            break
        declared.append(answer.value)
        problems.extend(about_declared(answer.value, source.source, source.namespace))
        if not answer.value.is_complete:
            break
    if refused := _refused(cluster, view):
        problems.append(refused)
    combined = combined_owners(file, tuple(declared))
    problems.extend(about_room(combined.left_out))
    overlaps = [text for text in (file.overlap if file is not None else None, combined.contradiction) if text]
    return FoundOwners(combined.owners, overlap="; ".join(overlaps) or None, incomplete=as_message(problems))


def owners_for_collector(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> FoundOwners:
    """Return owners that a collector may know: all if it acts for the cluster or is beside it, else its namespace's."""
    found, namespace = owners_of(cluster, view), collector.metadata.namespace
    if namespace == cluster.metadata.namespace or acts_for_all(collector, cluster, view):
        return found
    return found.of_namespace(namespace, Key(cluster.metadata.namespace, cluster.metadata.name))


def _file(cluster: KafkaCluster) -> NamedObject | None:
    if cluster.spec.owners is None or cluster.spec.owners.config_map_ref is None:
        return None
    return NamedObject("ConfigMap", Key(cluster.metadata.namespace, cluster.spec.owners.config_map_ref.name))


def _declared(cluster: KafkaCluster, view: View) -> Iterator[DeclaredOwners]:
    """Yield the sources beside the ConfigMap in the order in which they count."""
    sources = cluster.spec.owners
    if sources is None:
        return
    strimzi = sources.strimzi
    if strimzi is not None and _refused(cluster, view) is None:
        for source in _OF_STRIMZI:
            for namespace in strimzi.namespaces:
                yield DeclaredOwners(source, strimzi.team_key, strimzi.contact_key, namespace, strimzi.cluster)
    if sources.namespaces is not None and _refused(cluster, view) is None:
        yield DeclaredOwners("Namespace", sources.namespaces.team_key, sources.namespaces.contact_key)


def _refused(cluster: KafkaCluster, view: View) -> str | None:
    """Return why the KafkaCluster may not name its namespaces of Strimzi; None where it may.

    An account that may create a KafkaCluster reads by it what it names.
    """
    sources, own = cluster.spec.owners, cluster.metadata.namespace
    if sources is None or sources.strimzi is None or own == view.settings.namespace:
        return None
    others = sorted({*sources.strimzi.namespaces} - {own})
    if not others:
        return None
    return (
        f"spec.owners.strimzi.namespaces names {', '.join(others)}: a KafkaCluster outside the operator's namespace"
        f" {view.settings.namespace} can name its own alone; move the KafkaCluster, or the users and topics"
    )
