"""The settings file of a gateway, and the address that clients are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.observer_settings import EVERY_ADDRESS, ListenerSettings, ObserverSettings, UpstreamSettings
from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.desired.identity_key import IDENTITY_KEY_FILE
from kwitness.operator.environment.collectors import ServingCollector, collector_address
from kwitness.operator.kinds.observer_deployment.environment import uses_sasl
from kwitness.operator.kinds.observer_deployment.ports import port_of
from kwitness.operator.kinds.observer_deployment.reporting_settings import reported
from kwitness.operator.kinds.observer_deployment.secrets import listener_tls, upstream_tls
from kwitness.operator.model.believed import gateway_speaks_as
from kwitness.runtime.child_names import gateway_name

__all__ = ["AUTHORITY_KEY", "SETTINGS_FOLDER", "TOKEN_FOLDER", "advertised_host", "gateway_settings", "settings_text"]

SETTINGS_FOLDER: Final = "/etc/kwitness/observer"
"""Where the ConfigMap is mounted."""
TOKEN_FOLDER: Final = "/var/run/secrets/kwitness/collector"  # noqa: S105 - a path
AUTHORITY_KEY: Final = "ca.crt"

_HIGHEST_PORT: Final = 65_535
_HIGHEST_NODE_PORT: Final = 32_767


def settings_text(settings: ObserverSettings) -> str:
    """The file, whose bytes are what its hash is of; a gateway has no workload."""
    return settings.model_dump_json(indent=1, exclude={"workload"})


def _highest_port(gateway: Gateway) -> int:
    """The highest port that a broker can get."""
    return _HIGHEST_NODE_PORT if gateway.service.type == "NodePort" else _HIGHEST_PORT


def advertised_host(resource: ObserverDeployment, gateway: Gateway) -> str:
    """The host that clients are told."""
    name, namespace = resource.metadata.name, resource.metadata.namespace
    template = gateway.advertised_host
    if template is None:
        return f"{gateway_name(name)}.{namespace}.svc"
    return template.replace("{namespace}", namespace).replace("{name}", name)


def gateway_settings(
    resource: ObserverDeployment,
    gateway: Gateway,
    cluster: KafkaCluster,
    listener: ClientListener,
    collector: ServingCollector,
    *,
    rules: HeaderRules,
    cluster_id: str,
    slots: Mapping[int, int],
    addresses: Mapping[int, str],
    suspend: bool,
) -> ObserverSettings:
    """Translate the resource.

    Raises
    ------
    TerminalError
        LimitExceeded: there are more brokers than ports.
    """
    port, highest = gateway.bootstrap_port, _highest_port(gateway)
    return ObserverSettings(
        cluster_id=cluster_id,
        namespace=resource.metadata.namespace,
        name=resource.metadata.name,
        mode="gateway",
        reported_by=gateway_speaks_as(resource.metadata.namespace, collector.resource.metadata.namespace),
        suspend=suspend,
        upstream=UpstreamSettings(
            bootstrap_servers=listener.bootstrap_servers,
            nodes={str(node): address for node, address in sorted(addresses.items()) if node in slots},
            tls=upstream_tls(resource, gateway, cluster, listener),
        ),
        listener=ListenerSettings(
            name=listener.name,
            bind=EVERY_ADDRESS,
            bootstrap_port=port,
            advertised_host=advertised_host(resource, gateway),
            brokers={str(node): port_of(port, slot, highest) for node, slot in sorted(slots.items())},
            tls=listener_tls(gateway),
        ),
        **reported(resource, rules, sasl=uses_sasl(listener), identity_key_file=IDENTITY_KEY_FILE),
        collector=collector_address(
            collector, authority=f"{SETTINGS_FOLDER}/{AUTHORITY_KEY}", token=f"{TOKEN_FOLDER}/token"
        ),
        metrics_port=PROBE_PORT,
    )
