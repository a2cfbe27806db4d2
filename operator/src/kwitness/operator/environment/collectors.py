"""The collectors of a cluster: the one that acts for all of it, and those that take what namespaces report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.observer_settings import CollectorAddress
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.serving_collectors import collector_of_cluster, collector_of_namespace
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.collector_limits import within_limits
from kwitness.operator.desired.missing_collectors import no_collector
from kwitness.operator.desired.subscription_plan import own_key
from kwitness.operator.environment.clusters import key_of, referring
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import AskedFor, CollectorAnswer, Inventory, NamedObject
from kwitness.operator.shapes.work import View
from kwitness.runtime.child_names import collector_peer_host
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = [
    "ServingCollector",
    "acting_collector",
    "acts_for_all",
    "collector_address",
    "collector_of",
    "collector_of_reports",
    "collectors_naming",
    "ingests_from",
    "inventory_of",
    "last_report",
    "requested_subscriptions",
]


@dataclass(frozen=True, slots=True)
class ServingCollector:
    """The TelemetryCollector that pods report to; ``authority`` is PEM text, None for the system's."""

    resource: TelemetryCollector
    authority: str | None

    @property
    def key(self) -> Key:
        """Return namespace and name."""
        return Key(*key_of(self.resource))

    @property
    def encrypted(self) -> bool:
        """Return true where it serves TLS."""
        return self.resource.spec.ingest.tls.secret_ref is not None


def collector_of(namespace: str, cluster: KafkaCluster, view: View) -> ServingCollector:
    """Return the collector that takes what the resources of a namespace report of the cluster.

    Raises
    ------
    TerminalError
        CollectorNotReady: there is none, or its certificate authority is missing.
    """
    collector = collector_of_reports(namespace, cluster, view)
    if collector is None:
        raise TerminalError(
            "CollectorNotReady", f"{no_collector(cluster)}; until then nobody would take what is reported"
        )
    reference = collector.spec.ingest.tls.ca_config_map_ref
    if reference is None:
        return ServingCollector(collector, None)
    answer = view[NamedObject("ConfigMap", Key(collector.metadata.namespace, reference.name))]
    if answer.failure is not None and answer.value is None:
        raise answer.failure
    authority = ((answer.value or {}).get("data") or {}).get("ca.crt")
    if not authority:
        raise TerminalError(
            "CollectorNotReady",
            f"ConfigMap {reference.name} of TelemetryCollector {collector.metadata.name} has no ca.crt: add it, or"
            " correct spec.ingest.tls.caConfigMapRef there",
        )
    return ServingCollector(collector, str(authority))


def acting_collector(cluster: KafkaCluster, view: View) -> TelemetryCollector | None:
    """Return the TelemetryCollector that acts for the whole cluster."""
    found = collector_of_cluster(cluster, collectors_naming(cluster, view))
    return None if found is None else within_limits(found, view.settings)


def collector_of_reports(namespace: str, cluster: KafkaCluster, view: View) -> TelemetryCollector | None:
    """Return the TelemetryCollector that takes what the resources of a namespace report."""
    found = collector_of_namespace(namespace, cluster, collectors_naming(cluster, view))
    return None if found is None else within_limits(found, view.settings)


def inventory_of(namespace: str, cluster: KafkaCluster, view: View) -> Inventory | CollectorAnswer:
    """Return the question for what that collector says."""
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    collector = collector_of_reports(namespace, cluster, view)
    if collector is None or acts_for_all(collector, cluster, view):
        return Inventory(at)
    return CollectorAnswer(Key(*key_of(collector)), at)


def acts_for_all(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> bool:
    """Return whether this collector acts for the whole cluster."""
    acting = acting_collector(cluster, view)
    return acting is not None and key_of(acting) == key_of(collector)


def ingests_from(collector: TelemetryCollector, cluster: KafkaCluster, view: View) -> Callable[[str], bool]:
    """Return whether it takes what the resources of a namespace report; it is the first of its own namespace."""
    own = collector.metadata.namespace
    if not acts_for_all(collector, cluster, view):
        return lambda namespace: namespace == own
    with_their_own = {collector.metadata.namespace for collector in collectors_naming(cluster, view)} - {own}
    return lambda namespace: namespace not in with_their_own


def requested_subscriptions(
    collector: TelemetryCollector, cluster: KafkaCluster, view: View
) -> tuple[BrokerSubscription, ...] | None:
    """Return what it may ask clients for: all that is asked in the cluster, or what its own namespace asks.

    None while that is not known.
    """
    answer = view.get(AskedFor(Key(cluster.metadata.namespace, cluster.metadata.name)))
    subscriptions = None if answer is None else answer.value
    if subscriptions is None or acts_for_all(collector, cluster, view):
        return subscriptions
    keys = ((found, own_key(view.settings.installation or "", found.id)) for found in subscriptions)
    return tuple(found for found, key in keys if key is not None and key.namespace == collector.metadata.namespace)


def last_report(namespace: str, cluster: KafkaCluster, view: View) -> ClusterState | None:
    """Return what the collector says that takes what the resources of a namespace report; None while it is silent."""
    answer = view.get(inventory_of(namespace, cluster, view))
    return None if answer is None else answer.value


def collectors_naming(cluster: KafkaCluster, view: View) -> list[TelemetryCollector]:
    """Return those that name the cluster, may, and are not being deleted."""
    found = referring(TelemetryCollector, cluster, view)
    return [collector for collector in found if collector.metadata.deletion_timestamp is None]


def collector_address(collector: ServingCollector, *, authority: str, token: str) -> CollectorAddress:
    """Where events go; ``authority`` and ``token`` are paths of files in the pod."""
    scheme = "https" if collector.encrypted else "http"
    # The name of one replica, with a place for its number.
    host = collector_peer_host(collector.key.name, collector.key.namespace, 0).replace("-0.", "-{ordinal}.", 1)
    return CollectorAddress(
        url=f"{scheme}://{host}:{COLLECTOR_PORT}",
        replicas=collector.resource.spec.replicas,
        ca_file=None if collector.authority is None else authority,
        token_file=token,
    )
