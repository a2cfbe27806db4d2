"""Lists what must be known for one InterceptorProfile."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.operator.desired.sidecar_reach import acts_in
from kwitness.operator.environment.injector import INJECTOR, interceptors_config_map_key
from kwitness.operator.environment.needs import (
    PODS_SECONDS,
    PROGRESS_SECONDS,
    SETTLED_SECONDS,
    cluster_needs,
    inventory_needs,
    known_resource,
    patience,
)
from kwitness.operator.kinds.interceptor_profile.ended_at_start import starts_of
from kwitness.operator.kinds.interceptor_profile.header_rules import header_needs
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import EnabledNamespaces, NamedObject, Refusals, RunningPods, Watched
from kwitness.operator.shapes.work import Need, Unit, View

__all__ = ["KIND", "needs", "related"]

KIND: Final = "InterceptorProfile"


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, its cluster, who collects, what the injector was told, and the pods of the namespaces that are meant."""
    own = Watched(KIND, unit.key)
    found = {Need(own)}
    resource = known_resource(view, own, InterceptorProfile)
    if resource is None or not view.settings.injector.enabled:
        return frozenset(found)
    enabled = view.get(EnabledNamespaces())
    namespaces = acts_in(resource, (enabled.value if enabled is not None else None) or {}, view.settings)
    injector = NamedObject("Deployment", Key(view.settings.namespace, INJECTOR))
    found |= related(unit.key, resource, view)
    found |= {
        *inventory_needs(unit.key.namespace, cluster_key(unit.key.namespace, resource.spec.cluster_ref), view),
        Need(Refusals()),
        Need(NamedObject("ConfigMap", interceptors_config_map_key(view.settings)), SETTLED_SECONDS),
        Need(injector, patience(1, view, injector)),
        *(Need(RunningPods(one), PODS_SECONDS) for one in namespaces),
    }
    return frozenset(found)


def related(key: Key, resource: InterceptorProfile, view: View) -> set[Need]:
    """Return what must be known to write a resource's injection."""
    cluster = cluster_key(key.namespace, resource.spec.cluster_ref)
    starts = {Need(fact, SETTLED_SECONDS) for fact in starts_of(resource, view)}
    enabled = Need(EnabledNamespaces(), SETTLED_SECONDS if starts else PROGRESS_SECONDS)
    return cluster_needs(key, cluster, view) | header_needs(resource, view) | starts | {enabled}
