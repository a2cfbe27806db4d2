"""What must be known for one ObserverDeployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.kinds.observer_deployment.environment import serving_collector
from kwitness.operator.kinds.observer_deployment.host.outcome import host_deployment
from kwitness.operator.kinds.observer_deployment.sidecars.places import INJECTOR, config_map_key
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, depends_on_labels
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import (
    Body,
    EnabledNamespaces,
    Inventory,
    KafkaState,
    Labels,
    NamedObject,
    Referring,
    Refusals,
    RunningPods,
    Watched,
)
from kwitness.operator.shapes.work import Need, Unit, View
from kwitness.runtime.child_names import gateway_name, gateway_ports_name

__all__ = ["KIND", "SETTLED_SECONDS", "needs", "related"]

KIND: Final = "ObserverDeployment"

_PROGRESS_SECONDS: Final = 4.0
"""Between looks at replicas that are starting."""
SETTLED_SECONDS: Final = 60.0
"""Between looks at what others may change and nobody tells of: replicas, ports, certificates, labels."""
_PODS_SECONDS: Final = 20.0
"""Between looks at clients' pods."""


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, its cluster, who else observes it, who collects, and what stands already."""
    own = Watched(KIND, unit.key)
    found = {Need(own)}
    answer = view.get(own)
    if answer is None or answer.value is None:
        return frozenset(found)
    try:
        resource = parse_resource(ObserverDeployment, answer.value)
    except OperatorError:
        return frozenset(found)
    hosting = host_deployment(unit.key)
    if resource.spec.host is None:
        found.add(Need(hosting, SETTLED_SECONDS))
    else:
        patience = _patience(resource.spec.host.replicas, view, hosting)
        found |= related(unit.key, resource, view) | {Need(hosting, patience)}
    if resource.spec.mode != "Gateway":
        if view.settings.injector.enabled:
            found |= related(unit.key, resource, view) | _sidecar(unit.key, resource, view)
        return frozenset(found)
    name = gateway_name(unit.key.name)
    deployment = NamedObject("Deployment", Key(unit.key.namespace, name))
    found |= related(unit.key, resource, view)
    found |= {
        Need(Inventory(cluster_key(unit.key.namespace, resource.spec.cluster_ref))),
        Need(NamedObject("ConfigMap", Key(unit.key.namespace, gateway_ports_name(unit.key.name))), SETTLED_SECONDS),
        Need(deployment, _patience(resource.spec.gateway_replicas, view, deployment)),
    }
    return frozenset(found)


def related(key: Key, resource: ObserverDeployment, view: View) -> set[Need]:
    """What decides on a resource in any mode: its cluster, who else observes that, and who collects."""
    at = cluster_key(key.namespace, resource.spec.cluster_ref)
    found = {
        Need(Watched("KafkaCluster", at)),
        Need(KafkaState(at)),
        Need(Referring("TelemetryCollector", at)),
        Need(Referring(KIND, at)),
    }
    cluster = _cluster(view, at)
    if cluster is not None:
        found |= {Need(Labels(one), SETTLED_SECONDS) for one in _strangers(cluster, key, view)}
        found |= set(_authority(cluster, view))
    return found


def _sidecar(key: Key, resource: ObserverDeployment, view: View) -> set[Need]:
    """What the injector was told and whether it is there, and the pods of the namespaces that are meant."""
    enabled = view.get(EnabledNamespaces())
    namespaces = acts_in(resource, (enabled.value if enabled is not None else None) or {}, view.settings)
    injector = NamedObject("Deployment", Key(view.settings.namespace, INJECTOR))
    return {
        Need(Inventory(cluster_key(key.namespace, resource.spec.cluster_ref))),
        Need(EnabledNamespaces(), SETTLED_SECONDS if namespaces else _PROGRESS_SECONDS),
        Need(Refusals()),
        Need(NamedObject("ConfigMap", config_map_key(view.settings)), SETTLED_SECONDS),
        Need(injector, _patience(1, view, injector)),
        *(Need(RunningPods(one), _PODS_SECONDS) for one in namespaces),
    }


def _cluster(view: View, at: Key) -> KafkaCluster | None:
    answer = view.get(Watched("KafkaCluster", at))
    if answer is None or answer.value is None:
        return None
    try:
        return parse_resource(KafkaCluster, answer.value)
    except OperatorError:
        return None


def _strangers(cluster: KafkaCluster, own: Key, view: View) -> Iterator[str]:
    """Namespaces whose labels decide whether they may refer to the cluster."""
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    bodies: list[Body] = []
    for kind in ("TelemetryCollector", KIND):
        answer = view.get(Referring(kind, at))
        bodies.extend(answer.value or () if answer is not None else ())
    namespaces = {own.namespace, *(body["metadata"]["namespace"] for body in bodies)}
    yield from (one for one in namespaces if depends_on_labels(cluster, one))


def _authority(cluster: KafkaCluster, view: View) -> Iterator[Need]:
    """The certificate authority of the collector, which the gateway may be in another namespace than."""
    collector = serving_collector(cluster, view)
    if collector is not None and collector.spec.ingest.tls.ca_config_map_ref is not None:
        name = collector.spec.ingest.tls.ca_config_map_ref.name
        yield Need(NamedObject("ConfigMap", Key(collector.metadata.namespace, name)), SETTLED_SECONDS)


def _patience(replicas: int, view: View, deployment: NamedObject) -> float:
    answer = view.get(deployment)
    state = ((answer.value if answer is not None else None) or {}).get("status") or {}
    ready = int(state.get("readyReplicas") or 0)
    return SETTLED_SECONDS if ready >= replicas else _PROGRESS_SECONDS
