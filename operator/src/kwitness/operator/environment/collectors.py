"""The collector that takes what pods report of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.observer_settings import CollectorAddress
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.collector_limits import within_limits
from kwitness.operator.environment.clusters import key_of, referring
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import NamedObject
from kwitness.operator.shapes.work import View
from kwitness.runtime.child_names import collector_peer_host

__all__ = ["ServingCollector", "collector_address", "collector_of", "serving_collector"]


@dataclass(frozen=True, slots=True)
class ServingCollector:
    """The TelemetryCollector that pods report to; ``authority`` is PEM text, None for the system's."""

    resource: TelemetryCollector
    authority: str | None


def collector_of(cluster: KafkaCluster, view: View) -> ServingCollector:
    """Return the collector that serves the cluster.

    Raises
    ------
    TerminalError
        CollectorNotReady: there is none, or its certificate authority is missing.
    """
    collector = serving_collector(cluster, view)
    if collector is None:
        raise TerminalError(
            "CollectorNotReady",
            f"no TelemetryCollector names KafkaCluster {cluster.metadata.name}, so nobody would take what"
            " is reported: apply one",
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


def serving_collector(cluster: KafkaCluster, view: View) -> TelemetryCollector | None:
    """Return the TelemetryCollector that comes first among those that may name the cluster."""
    found = [one for one in referring(TelemetryCollector, cluster, view) if one.metadata.deletion_timestamp is None]
    home = cluster.metadata.namespace
    first = min(found, key=lambda one: precedence(one.spec.priority, *key_of(one), home=home), default=None)
    return None if first is None else within_limits(first, view.settings)


def collector_address(collector: ServingCollector, *, authority: str, token: str) -> CollectorAddress:
    """Where events go; ``authority`` and ``token`` are paths of files in the pod."""
    metadata, spec = collector.resource.metadata, collector.resource.spec
    scheme = "https" if spec.ingest.tls.secret_ref is not None else "http"
    # The name of one replica, with a place for its number.
    host = collector_peer_host(metadata.name, metadata.namespace, 0).replace("-0.", "-{ordinal}.", 1)
    return CollectorAddress(
        url=f"{scheme}://{host}:{COLLECTOR_PORT}",
        replicas=spec.replicas,
        ca_file=None if collector.authority is None else authority,
        token_file=token,
    )
