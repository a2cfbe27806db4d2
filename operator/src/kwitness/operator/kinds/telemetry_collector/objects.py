"""All children of a TelemetryCollector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kwitness.contracts.owners import OwnerList
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.child_settings import with_service_settings
from kwitness.operator.desired.kafka_client_files import kafka_client_files
from kwitness.operator.desired.pods import child_metadata, disruption_budget, selector
from kwitness.operator.kinds.telemetry_collector.config import (
    collector_config,
    owners_file,
    pods_hash,
    subscriptions_file,
)
from kwitness.operator.kinds.telemetry_collector.pods import PORTS, stateful_set
from kwitness.operator.kinds.telemetry_collector.reporters import Reporters
from kwitness.operator.settings import OperatorSettings
from kwitness.runtime.child_names import collector_name, collector_replicas_name
from kwitness.subscriptions.broker_subscription import BrokerSubscription

__all__ = ["collector_objects", "service_monitor"]

_HEADLESS = {"kwitness.dev/service": "replicas"}


_NOBODY: Final = Reporters()


def collector_objects(
    collector: TelemetryCollector,
    cluster: KafkaCluster,
    cluster_id: str,
    subscriptions: Iterable[BrokerSubscription],
    settings: OperatorSettings,
    *,
    reporters: Reporters = _NOBODY,
    owners: OwnerList | None = None,
) -> list[dict[str, Any]]:
    """Build the children, in the order in which they are applied; `service_monitor` stands beside them.

    Raises
    ------
    TerminalError
        HostNotAllowed, see `kafka_client_files`.
    """
    name, namespace = collector.metadata.name, collector.metadata.namespace
    metadata = child_metadata("TelemetryCollector", "collector", collector_name(name), collector.metadata)
    files = kafka_client_files(
        cluster, namespace, collector.spec.authentication, collector.spec.tls, settings.credentials
    )
    config = collector_config(collector, cluster, cluster_id, files.connection, settings, reporters=reporters)
    objects = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata,
            "data": {
                "config.json": config.model_dump_json(indent=1),
                "subscriptions.json": subscriptions_file(subscriptions).model_dump_json(indent=1),
                "owners.json": owners_file(owners),
            },
        },
        _service(collector, metadata, headless=True),
        _service(collector, metadata, headless=False),
        _network_policy(collector, metadata, reporters),
        stateful_set(collector, files, settings, metadata=metadata, config_hash=pods_hash(config)),
    ]
    if collector.spec.replicas > 1:
        objects.append(disruption_budget("collector", name, metadata))
    return objects


def _service(collector: TelemetryCollector, metadata: dict[str, Any], *, headless: bool) -> dict[str, Any]:
    name = collector.metadata.name
    spec: dict[str, Any] = {
        "selector": selector("collector", name),
        "ports": [
            {"name": port, "port": number, "targetPort": port, "protocol": "TCP"} for port, number in PORTS.items()
        ],
    }
    if headless:
        # A replica that is starting must already be found by those that wait for it.
        spec.update(clusterIP="None", publishNotReadyAddresses=True)
        own = {"name": collector_replicas_name(name), "labels": {**metadata["labels"], **_HEADLESS}}
        return {"apiVersion": "v1", "kind": "Service", "metadata": {**metadata, **own}, "spec": spec}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
    return with_service_settings(service, collector.spec.service)


def _network_policy(collector: TelemetryCollector, metadata: dict[str, Any], reporters: Reporters) -> dict[str, Any]:
    name = collector.metadata.name
    ingest = [{"port": port, "protocol": "TCP"} for port in ("api", "otlp-http", "otlp-grpc")]
    peers: list[dict[str, Any]] = [
        {"ipBlock": {"cidr": peer.cidr}}
        if peer.cidr is not None
        else {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": peer.namespace}}}
        for peer in collector.spec.ingest.from_
    ]
    if peers:
        peers.append({"podSelector": {"matchLabels": selector("collector", name)}})
        peers.extend(
            {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": one.namespace}},
                "podSelector": {"matchLabels": selector("gateway", one.name)},
            }
            for one in sorted(reporters.gateways)
        )
        peers.extend(
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": one}}}
            for one in sorted({*reporters.namespaces, *reporters.intercepted})
        )
        # The operator reads the inventory; its namespace is not necessarily among the senders'.
        operator = {"matchLabels": {"app.kubernetes.io/name": "kwitness", "app.kubernetes.io/component": "operator"}}
        peers.append({"namespaceSelector": {}, "podSelector": operator})
    rules: list[dict[str, Any]] = [
        {"ports": ingest, "from": peers} if peers else {"ports": ingest},
        {"ports": [{"port": "metrics", "protocol": "TCP"}]},
    ]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata,
        "spec": {
            "podSelector": {"matchLabels": selector("collector", name)},
            "policyTypes": ["Ingress"],
            "ingress": rules,
        },
    }


_OWN_LABELS: Final = [
    {
        "sourceLabels": ["__name__", f"exported_{label}"],
        "regex": "kwitness_[a-z_]+;(.+)",
        "targetLabel": label,
    }
    for label in ("namespace", "pod")
]
"""The collector's own metrics have the namespace and pod of an observer. All others keep the labels of the
scraped pod, since any pod of the namespace can serve a page there."""


def service_monitor(collector: TelemetryCollector) -> dict[str, Any] | None:
    """Build the ServiceMonitor that the resource asks for; it may be refused without harm to the other children."""
    prometheus, name = collector.spec.prometheus, collector.metadata.name
    monitor = prometheus.service_monitor
    if monitor is None:
        return None
    metadata = child_metadata("TelemetryCollector", "collector", collector_name(name), collector.metadata)
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {**metadata, "labels": {**metadata["labels"], **monitor.labels}},
        "spec": {
            # The headless Service has every replica; the other would have each twice.
            "selector": {"matchLabels": {**selector("collector", name), **_HEADLESS}},
            "endpoints": [
                {"port": "metrics", "interval": prometheus.scrape_interval, "metricRelabelings": _OWN_LABELS}
            ],
        },
    }
