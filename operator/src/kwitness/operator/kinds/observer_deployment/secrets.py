"""The Secrets that the kubelet mounts into a gateway's pods; the operator reads none of them."""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.observer_settings import ListenerTls, UpstreamTls
from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.privacy import treated
from kwitness.contracts.resources.references import CaSecretRef
from kwitness.operator.desired.identity_key import identity_key_volume
from kwitness.operator.desired.kafka_client_files import SECRETS
from kwitness.operator.desired.pods import secret_volume
from kwitness.operator.kinds.observer_deployment.environment import uses_tls

__all__ = ["listener_tls", "secret_volumes", "upstream_tls"]

_LISTENER: Final = "listener-tls"
_CLIENT_CA: Final = "client-ca"
_BROKER_CA: Final = "kafka-ca"


def listener_tls(gateway: Gateway) -> ListenerTls | None:
    """What clients are shown; None where they speak plaintext."""
    if gateway.certificate is None:
        return None
    return ListenerTls(
        certificate_file=f"{SECRETS}/{_LISTENER}/tls.crt",
        key_file=f"{SECRETS}/{_LISTENER}/tls.key",
        client_ca_file=f"{SECRETS}/{_CLIENT_CA}/ca.crt" if gateway.client_authority is not None else None,
    )


def upstream_tls(
    resource: ObserverDeployment, gateway: Gateway, cluster: KafkaCluster, listener: ClientListener
) -> UpstreamTls | None:
    """How the brokers are known; None where they speak plaintext."""
    if not uses_tls(listener):
        return None
    authority = _broker_ca(resource, gateway, cluster)
    return UpstreamTls(ca_file=f"{SECRETS}/{_BROKER_CA}/ca.crt" if authority is not None else None)


def secret_volumes(
    resource: ObserverDeployment, gateway: Gateway, cluster: KafkaCluster, listener: ClientListener
) -> tuple[dict[str, Any], ...]:
    """Volumes of a pod; each is mounted below `SECRETS` by its name."""
    volumes = []
    if gateway.certificate is not None:
        volumes.append(secret_volume(_LISTENER, gateway.certificate.name, "tls.crt", "tls.key"))
    if gateway.client_authority is not None:
        volumes.append(secret_volume(_CLIENT_CA, gateway.client_authority.name, "ca.crt"))
    authority = _broker_ca(resource, gateway, cluster)
    if uses_tls(listener) and authority is not None:
        volumes.append(secret_volume(_BROKER_CA, authority.name, "ca.crt"))
    if "Hash" in treated(resource.spec.identity).values():
        volumes.append(identity_key_volume())
    return tuple(volumes)


def _broker_ca(resource: ObserverDeployment, gateway: Gateway, cluster: KafkaCluster) -> CaSecretRef | None:
    if gateway.ca_secret_ref is not None or cluster.metadata.namespace != resource.metadata.namespace:
        return gateway.ca_secret_ref
    return cluster.spec.tls.ca_secret_ref
