"""What must be known of a resource's cluster, its collector and the injector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from pydantic import BaseModel

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.operator.environment.collectors import collector_of_reports, inventory_of
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import depends_on_labels
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, Inventory, KafkaState, Labels, NamedObject, Referring, Watched
from kwitness.operator.shapes.work import Need, View

__all__ = [
    "PODS_SECONDS",
    "PROGRESS_SECONDS",
    "SETTLED_SECONDS",
    "authority_needs",
    "cluster_needs",
    "inventory_needs",
    "known_cluster",
    "known_resource",
    "patience",
    "reference_needs",
    "settled_seconds",
    "strangers",
]

M = TypeVar("M", bound=BaseModel)

PROGRESS_SECONDS: Final = 4.0
"""Between looks at replicas that are starting."""
SETTLED_SECONDS: Final = 60.0
"""Between looks at what others may change and nobody tells of: replicas, ports, certificates, labels."""
PODS_SECONDS: Final = 20.0
"""Between looks at clients' pods."""


def cluster_needs(key: Key, at: Key, view: View, *, rivals: str | None = None) -> set[Need]:
    """What decides on a resource at ``key`` that names the KafkaCluster ``at``; ``rivals`` name it too."""
    found = {
        Need(Watched("KafkaCluster", at)),
        Need(KafkaState(at)),
        Need(Referring("TelemetryCollector", at)),
    }
    cluster = known_cluster(view, at)
    if cluster is not None:
        kinds = ("TelemetryCollector",) if rivals is None else ("TelemetryCollector", rivals)
        found |= {Need(Labels(one), SETTLED_SECONDS) for one in strangers(cluster, key, kinds, view)}
        found |= set(authority_needs(key.namespace, cluster, view))
    return found


def inventory_needs(namespace: str, at: Key, view: View) -> set[Need]:
    """Need the last report of the collector that a namespace reports to, without waiting for it."""
    cluster = known_cluster(view, at)
    fact = Inventory(at) if cluster is None else inventory_of(namespace, cluster, view)
    if isinstance(fact, Inventory):
        return {Need(fact)}
    return {Need(fact, view.settings.inventory_seconds, awaited=False)}


def reference_needs(key: Key, at: Key, view: View) -> set[Need]:
    """What decides whether a resource at ``key`` may name the KafkaCluster ``at``, and what that is."""
    cluster = known_cluster(view, at)
    found = {Need(Watched("KafkaCluster", at)), Need(KafkaState(at))}
    if cluster is not None and depends_on_labels(cluster, key.namespace):
        found.add(Need(Labels(key.namespace), SETTLED_SECONDS))
    return found


def patience(replicas: int, view: View, deployment: NamedObject) -> float:
    """Seconds between looks at a Deployment that is to have that many replicas."""
    answer = view.get(deployment)
    state = ((answer.value if answer is not None else None) or {}).get("status") or {}
    ready = int(state.get("readyReplicas") or 0)
    return SETTLED_SECONDS if ready >= replicas else PROGRESS_SECONDS


def known_cluster(view: View, at: Key) -> KafkaCluster | None:
    """The KafkaCluster, as far as it was read and can be."""
    return known_resource(view, Watched("KafkaCluster", at), KafkaCluster)


def known_resource(view: View, fact: Watched, model: type[M]) -> M | None:
    """One of our resources, likewise."""
    answer = view.get(fact)
    if answer is None or answer.value is None:
        return None
    try:
        return parse_resource(model, answer.value)
    except OperatorError:
        return None


def settled_seconds(view: View) -> float:
    """Seconds between looks at what nobody tells of; where everything is looked at more often, so is this."""
    return min(SETTLED_SECONDS, view.settings.resync_seconds / 2)


def strangers(cluster: KafkaCluster, own: Key, kinds: tuple[str, ...], view: View) -> Iterator[str]:
    """Namespaces whose labels decide whether they may refer to the cluster."""
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    bodies: list[Body] = []
    for kind in kinds:
        answer = view.get(Referring(kind, at))
        bodies.extend(answer.value or () if answer is not None else ())
    namespaces = {own.namespace, *(body["metadata"]["namespace"] for body in bodies)}
    yield from (one for one in namespaces if depends_on_labels(cluster, one))


def authority_needs(namespace: str, cluster: KafkaCluster, view: View) -> Iterator[Need]:
    """Need the certificate authority of the collector of a namespace, which may be in another one."""
    collector = collector_of_reports(namespace, cluster, view)
    if collector is not None and collector.spec.ingest.tls.ca_config_map_ref is not None:
        name = collector.spec.ingest.tls.ca_config_map_ref.name
        yield Need(NamedObject("ConfigMap", Key(collector.metadata.namespace, name)), SETTLED_SECONDS)
