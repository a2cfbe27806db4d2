"""What must be known for one ObserverDeployment."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.environment.header_registries import registry_needs
from kwitness.operator.environment.injector import INJECTOR, config_map_key
from kwitness.operator.environment.needs import (
    PODS_SECONDS,
    PROGRESS_SECONDS,
    SETTLED_SECONDS,
    cluster_needs,
    inventory_needs,
    known_resource,
    patience,
)
from kwitness.operator.kinds.observer_deployment.header_registries import registers_of
from kwitness.operator.kinds.observer_deployment.host.outcome import host_deployment
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import (
    AskedFor,
    EnabledNamespaces,
    NamedObject,
    Referring,
    Refusals,
    RunningPods,
    Watched,
)
from kwitness.operator.shapes.work import Need, Unit, View
from kwitness.runtime.child_names import gateway_name, gateway_ports_name

__all__ = ["KIND", "needs", "related"]

KIND: Final = "ObserverDeployment"


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, its cluster, who else observes it, who collects, and what stands already."""
    own = Watched(KIND, unit.key)
    found = {Need(own)}
    resource = known_resource(view, own, ObserverDeployment)
    if resource is None:
        return frozenset(found)
    if resource.spec.telemetry == "Terminate":
        found.add(Need(AskedFor(cluster_key(unit.key.namespace, resource.spec.cluster_ref))))
    hosting = host_deployment(unit.key)
    if resource.spec.host is None:
        found.add(Need(hosting, SETTLED_SECONDS))
    else:
        wait = patience(resource.spec.host.replicas, view, hosting)
        found |= related(unit.key, resource, view) | {Need(hosting, wait)}
    gateway = resource.spec.gateway
    if gateway is None:
        if view.settings.injector.enabled:
            found |= related(unit.key, resource, view) | _sidecar(unit.key, resource, view)
        return frozenset(found)
    name = gateway_name(unit.key.name)
    deployment = NamedObject("Deployment", Key(unit.key.namespace, name))
    found |= related(unit.key, resource, view)
    found |= {
        *inventory_needs(unit.key.namespace, cluster_key(unit.key.namespace, resource.spec.cluster_ref), view),
        Need(NamedObject("ConfigMap", Key(unit.key.namespace, gateway_ports_name(unit.key.name))), SETTLED_SECONDS),
        Need(deployment, patience(gateway.replicas, view, deployment)),
    }
    return frozenset(found)


def related(key: Key, resource: ObserverDeployment, view: View) -> set[Need]:
    """Return what every resource depends on: its cluster, who else observes that, who collects, and its registers."""
    at = cluster_key(key.namespace, resource.spec.cluster_ref)
    registers = registry_needs(registers_of(resource), view)
    return {Need(Referring(KIND, at)), *cluster_needs(key, at, view, rivals=KIND), *registers}


def _sidecar(key: Key, resource: ObserverDeployment, view: View) -> set[Need]:
    """What the injector was told and whether it is there, and the pods of the namespaces that are meant."""
    enabled = view.get(EnabledNamespaces())
    namespaces = acts_in(resource, (enabled.value if enabled is not None else None) or {}, view.settings)
    injector = NamedObject("Deployment", Key(view.settings.namespace, INJECTOR))
    return {
        *inventory_needs(key.namespace, cluster_key(key.namespace, resource.spec.cluster_ref), view),
        Need(EnabledNamespaces(), SETTLED_SECONDS if namespaces else PROGRESS_SECONDS),
        Need(Refusals()),
        Need(NamedObject("ConfigMap", config_map_key(view.settings)), SETTLED_SECONDS),
        Need(injector, patience(1, view, injector)),
        *(Need(RunningPods(one), PODS_SECONDS) for one in namespaces),
    }
