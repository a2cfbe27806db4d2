"""The settings file of a gateway, and the address that clients are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kwitness.contracts.endpoints import COLLECTOR_PORT, PROBE_PORT
from kwitness.contracts.observer_settings import (
    CollectorAddress,
    IdentitySettings,
    LimitSettings,
    ListenerSettings,
    ObserverSettings,
    ReportSettings,
    UpstreamSettings,
)
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.kinds.observer_deployment.environment import CollectorOfGateway
from kwitness.operator.kinds.observer_deployment.ports import port_of
from kwitness.operator.kinds.observer_deployment.secrets import listener_tls, upstream_tls
from kwitness.operator.model.believed import gateway_speaks_as
from kwitness.runtime.child_names import collector_peer_host, gateway_name

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


def _highest_port(resource: ObserverDeployment) -> int:
    """The highest port that a broker can get."""
    return _HIGHEST_NODE_PORT if resource.spec.gateway.service.type == "NodePort" else _HIGHEST_PORT


def advertised_host(resource: ObserverDeployment) -> str:
    """The host that clients are told."""
    name, namespace = resource.metadata.name, resource.metadata.namespace
    template = resource.spec.gateway.advertised_host
    if template is None:
        return f"{gateway_name(name)}.{namespace}.svc"
    return template.replace("{namespace}", namespace).replace("{name}", name)


def gateway_settings(
    resource: ObserverDeployment,
    cluster: KafkaCluster,
    listener: ClientListener,
    collector: CollectorOfGateway,
    *,
    cluster_id: str,
    slots: Mapping[int, int],
    suspend: bool,
) -> ObserverSettings:
    """Translate the resource.

    Raises
    ------
    TerminalError
        LimitExceeded: there are more brokers than ports.
    """
    spec, limits = resource.spec, resource.spec.limits
    port, highest = spec.gateway.bootstrap_port, _highest_port(resource)
    reported = {entry.type for entry in spec.observers}
    return ObserverSettings(
        cluster_id=cluster_id,
        namespace=resource.metadata.namespace,
        name=resource.metadata.name,
        mode="gateway",
        reported_by=gateway_speaks_as(resource.metadata.namespace, collector.resource.metadata.namespace),
        suspend=suspend,
        upstream=UpstreamSettings(
            bootstrap_servers=listener.bootstrap_servers, tls=upstream_tls(resource, cluster, listener)
        ),
        listener=ListenerSettings(
            name=listener.name,
            bind="0.0.0.0",  # noqa: S104 - clients are elsewhere
            bootstrap_port=port,
            advertised_host=advertised_host(resource),
            brokers={str(node): port_of(port, slot, highest) for node, slot in sorted(slots.items())},
            tls=listener_tls(resource),
        ),
        window_ms=round(parse_duration(spec.window).total_seconds() * 1000),
        report=ReportSettings(
            connections="Connections" in reported, traffic="Traffic" in reported, latency="Latency" in reported
        ),
        identity=IdentitySettings.model_validate(
            {"drop": [name for name, treatment in spec.identity if treatment == "Drop"]}
        ),
        limits=LimitSettings(
            max_connections=limits.max_connections,
            max_frame_bytes=limits.max_frame_bytes,
            max_series=limits.max_series,
            queue_bytes=limits.queue_bytes,
            max_rewrite_bytes=limits.max_rewrite_bytes,
        ),
        collector=_address(collector),
        metrics_port=PROBE_PORT,
    )


def _address(collector: CollectorOfGateway) -> CollectorAddress:
    metadata, spec = collector.resource.metadata, collector.resource.spec
    scheme = "https" if spec.ingest.tls.secret_ref is not None else "http"
    # The name of one replica, with a place for its number.
    host = collector_peer_host(metadata.name, metadata.namespace, 0).replace("-0.", "-{ordinal}.", 1)
    return CollectorAddress(
        url=f"{scheme}://{host}:{COLLECTOR_PORT}",
        replicas=spec.replicas,
        ca_file=None if collector.authority is None else f"{SETTINGS_FOLDER}/{AUTHORITY_KEY}",
        token_file=f"{TOKEN_FOLDER}/token",
    )
