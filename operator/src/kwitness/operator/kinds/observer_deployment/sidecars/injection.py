"""One ObserverDeployment beside clients or brokers, as the injector is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.injections import OBSERVER_FOLDER, RESERVED_PORTS, InjectedContainer, Injection, Variables
from kwitness.contracts.observer_settings import ListenerSettings, ObserverSettings, UpstreamSettings, UpstreamTls
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.label_selector import LabelSelector
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.own_broker import OwnBroker
from kwitness.contracts.resources.sidecar import DEFAULT_BASE_PORT, Sidecar
from kwitness.operator.desired.sidecar_reach import allowed_namespaces
from kwitness.operator.environment.clusters import cluster_identity
from kwitness.operator.environment.collectors import collector_address, collector_of
from kwitness.operator.environment.refused import refused_in
from kwitness.operator.kinds.observer_deployment.environment import observer_image, uses_sasl, uses_tls
from kwitness.operator.kinds.observer_deployment.header_registries import registries_of
from kwitness.operator.kinds.observer_deployment.node_addresses import node_addresses
from kwitness.operator.kinds.observer_deployment.reporting_settings import reported
from kwitness.operator.kinds.observer_deployment.sidecars.own_broker import check_own_listener, own_listener_settings
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import ClusterKnowledge, KafkaState, Refusals
from kwitness.operator.shapes.work import View

__all__ = ["injection_of"]

_LOOPBACK: Final = "127.0.0.1"
_UPSTREAM_CA: Final = f"{OBSERVER_FOLDER}/upstream-ca.crt"
_COLLECTOR_CA: Final = f"{OBSERVER_FOLDER}/ca.crt"
_TOKEN: Final = f"{OBSERVER_FOLDER}/token"
_IDENTITY_KEY: Final = f"{OBSERVER_FOLDER}/identity-key"


@dataclass(frozen=True, slots=True)
class _Place:
    """The fields of `Injection` and `ObserverSettings` that differ beside clients and beside brokers."""

    mode: Literal["sidecar", "broker"]
    intercept: Literal["env", "inbound", "none", "transparent"]
    upstream: UpstreamSettings
    listener: ListenerSettings
    metrics_port: int
    containers: tuple[str, ...] = ()
    variables: Variables | None = None
    upstream_ca: str | None = None
    pod_volume: str | None = None


def injection_of(
    body: Mapping[str, Any],
    resource: ObserverDeployment,
    cluster: KafkaCluster,
    listener: ClientListener,
    view: View,
) -> Injection:
    """Translate the resource.

    Raises
    ------
    TerminalError
        CollectorNotReady, PortReserved, Unsupported, ListenerShared, IdentityWouldChange, or EncryptedNotRedirected.
    TransientError
        ClusterNotReady: the cluster was never reached, or its CA certificates or listeners are not known yet.
    """
    spec, metadata, settings = resource.spec, resource.metadata, view.settings
    image = observer_image(settings)
    knowledge = view[KafkaState(Key(cluster.metadata.namespace, cluster.metadata.name))].value
    cluster_id, _ = cluster_identity(knowledge, cluster.metadata.name)
    collector = collector_of(resource.metadata.namespace, cluster, view)
    if spec.broker is not None:
        check_own_listener(spec.broker, listener, knowledge)
        place = _beside_broker(spec.broker, listener, knowledge)
    else:
        place = _beside_client(spec.sidecar or Sidecar(), listener, cluster, knowledge)
    namespaces = spec.namespace_selector
    return Injection(
        installation=settings.installation,
        namespace=metadata.namespace,
        name=metadata.name,
        priority=spec.priority,
        namespace_selector=namespaces,
        namespaces=allowed_namespaces(resource, settings) if namespaces is not None else None,
        pod_selector=spec.selector or LabelSelector(),
        containers=place.containers,
        intercept=place.intercept,
        variables=place.variables,
        addresses=listener.bootstrap_servers,
        address_namespace=cluster.metadata.namespace,
        client_protocol="SASL_PLAINTEXT" if uses_sasl(listener) else "PLAINTEXT",
        observer=_container(image, settings, transparent=spec.is_transparent),
        settings=ObserverSettings(
            cluster_id=cluster_id,
            namespace=metadata.namespace,
            name=metadata.name,
            mode=place.mode,
            reported_by="pod",
            suspend=spec.suspend,
            upstream=place.upstream,
            listener=place.listener,
            **reported(
                resource,
                registries_of(resource, view).rules,
                sasl=uses_sasl(listener),
                identity_key_file=_IDENTITY_KEY,
            ),
            collector=collector_address(collector, authority=_COLLECTOR_CA, token=_TOKEN),
            metrics_port=place.metrics_port,
        ),
        upstream_ca=place.upstream_ca,
        collector_ca=collector.authority,
        token_audience=collector_audience(collector.resource.metadata.namespace, collector.resource.metadata.name),
        pod_volume=place.pod_volume,
        refused_in=refused_in(body, resource, view[Refusals()].value or {}, now_ms=view.now_ms, settings=settings),
    )


def _beside_client(
    sidecar: Sidecar, listener: ClientListener, cluster: KafkaCluster, knowledge: ClusterKnowledge | None
) -> _Place:
    is_redirected = sidecar.transparent is not None
    encrypts = uses_tls(listener) and not is_redirected
    authority = _authority(cluster, knowledge) if encrypts else None
    tls = UpstreamTls(ca_file=None if authority is None else _UPSTREAM_CA) if encrypts else None
    env = sidecar.env
    return _Place(
        mode="sidecar",
        intercept="transparent" if is_redirected else "none" if env is None else "env",
        containers=sidecar.containers or (),
        variables=None if env is None else Variables.model_validate(env.model_dump()),
        upstream=UpstreamSettings(bootstrap_servers=listener.bootstrap_servers, tls=tls),
        upstream_ca=authority,
        listener=ListenerSettings(
            name=listener.name,
            bind=_LOOPBACK,
            bootstrap_port=sidecar.base_port,
            advertised_host=_LOOPBACK,
            # Brokers get ports in the order in which a client sees them.
            brokers={},
            redirected=_redirected(listener) if is_redirected else (),
        ),
        metrics_port=sidecar.base_port - 1,
    )


def _beside_broker(broker: OwnBroker, listener: ClientListener, knowledge: ClusterKnowledge | None) -> _Place:
    # A listener for clients outside may advertise no pod, where that of spec.bootstrapServers does.
    nodes = {**node_addresses(None, knowledge, listener.name), **node_addresses(None, knowledge, None)}
    return _Place(
        mode="broker",
        intercept="none" if broker.redirect is None else "inbound",
        upstream=UpstreamSettings(
            bootstrap_servers=(f"{_LOOPBACK}:{broker.own_port}",),
            nodes={str(node): address for node, address in sorted(nodes.items())},
        ),
        listener=own_listener_settings(broker, listener),
        metrics_port=DEFAULT_BASE_PORT - 1,
        pod_volume=None if broker.tls is None else broker.tls.from_pod_volume.volume,
    )


def _redirected(listener: ClientListener) -> tuple[int, ...]:
    """The ports at which clients reach the brokers, as far as they are known."""
    ports = {int(address.rpartition(":")[2]) for address in listener.bootstrap_servers}
    if reserved := sorted(RESERVED_PORTS & ports):
        raise TerminalError(
            "PortReserved",
            f"listener {listener.name} has port {reserved[0]}, and to redirect it would take connections of programs of"
            " every kind: give it other ports, or use spec.sidecar.env in place of spec.sidecar.transparent",
        )
    return tuple(sorted(ports))


def _authority(cluster: KafkaCluster, knowledge: ClusterKnowledge | None) -> str | None:
    """Return the brokers' CA certificates, PEM; None for the system's CAs."""
    tls = cluster.spec.tls
    authority = knowledge.authority if knowledge is not None else None
    if authority is None and tls.mode == "Required" and tls.ca_secret_ref is not None:
        raise TransientError(
            "ClusterNotReady",
            f"the CA certificates of KafkaCluster {cluster.metadata.name} are not known until it is reached: see its"
            " status",
        )
    return authority


def _container(image: str, settings: OperatorSettings, *, transparent: bool) -> InjectedContainer:
    user = settings.observer.transparent_user if transparent else settings.pods.run_as_user
    return InjectedContainer.model_validate(
        {
            "image": image,
            "pull_policy": settings.images.observer_pull_policy,
            "pull_secrets": settings.image_pull_secrets,
            "resources": settings.observer.sidecar.resources,
            "run_as_user": user,
        }
    )
