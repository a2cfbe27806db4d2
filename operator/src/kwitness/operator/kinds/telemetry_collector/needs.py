"""What must be known for one TelemetryCollector."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.collector_limits import check_namespace, within_limits
from kwitness.operator.environment.client_pods import pod_facts
from kwitness.operator.environment.clusters import key_of
from kwitness.operator.environment.needs import (
    PODS_SECONDS,
    authority_needs,
    inventory_needs,
    known_cluster,
    known_resource,
    reference_needs,
    settled_seconds,
    strangers,
)
from kwitness.operator.environment.owners import owner_needs
from kwitness.operator.kinds.telemetry_collector.standing import standing_needs
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import (
    AskedFor,
    EnabledNamespaces,
    Every,
    Labels,
    NamedObject,
    Referring,
    Watched,
)
from kwitness.operator.shapes.work import Need, Unit, View
from kwitness.runtime.child_names import collector_name

__all__ = ["KIND", "NAMED", "config_map", "needs"]

KIND: Final = "TelemetryCollector"
NAMED: Final = Every("KafkaCluster")
"""Any of them may name a collector."""
_REPORTERS: Final = ("ObserverDeployment", "InterceptorProfile")


def needs(unit: Unit, view: View) -> frozenset[Need]:
    """Itself, its cluster and what that asks clients for, rivals, who reports, whose clients are, and what stands."""
    own = Watched(KIND, unit.key)
    found = {Need(own)}
    collector = known_resource(view, own, TelemetryCollector)
    if collector is None:
        return frozenset(found)
    try:
        check_namespace(unit.key.namespace, view.settings)
    except OperatorError:
        return frozenset(found)
    at = cluster_key(unit.key.namespace, collector.spec.cluster_ref)
    found |= reference_needs(unit.key, at, view)
    found |= {Need(AskedFor(at)), Need(NAMED), *inventory_needs(unit.key.namespace, at, view)}
    found |= {Need(Referring(kind, at)) for kind in (KIND, *_REPORTERS)}
    found |= standing_needs(within_limits(collector, view.settings), view)
    return frozenset(found | _of_cluster(collector, at, view))


def config_map(key: Key) -> NamedObject:
    """The ConfigMap of the collector at ``key``."""
    return NamedObject("ConfigMap", Key(key.namespace, collector_name(key.name)))


def _of_cluster(collector: TelemetryCollector, at: Key, view: View) -> set[Need]:
    key, cluster = Key(*key_of(collector)), known_cluster(view, at)
    if cluster is None:
        return set()
    settled = settled_seconds(view)
    found = {Need(Labels(one), settled) for one in strangers(cluster, key, (KIND, *_REPORTERS), view)}
    pods = pod_facts(collector, cluster, view)
    found |= {Need(fact, PODS_SECONDS) for fact in pods}
    if pods:
        found |= set(authority_needs(key.namespace, cluster, view))
    found |= owner_needs(cluster, view)
    reporters = [view.get(Referring(kind, at)) for kind in _REPORTERS]
    if view.settings.injector.enabled and any(one is not None and one.value for one in reporters):
        found.add(Need(EnabledNamespaces(), settled))
    asked = view.get(AskedFor(at))
    if asked is None or asked.value is None:
        # What was mounted before is better than nothing.
        found.add(Need(config_map(key), settled))
    return found
