"""One ObserverDeployment in mode Sidecar or Broker, as the injector is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.injections import OBSERVER_FOLDER, RESERVED_PORTS, InjectedContainer, Injection, Variables
from kwitness.contracts.observer_settings import ListenerSettings, ObserverSettings, UpstreamSettings, UpstreamTls
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.label_selector import LabelSelector
from kwitness.contracts.resources.observer_deployment import DEFAULT_BASE_PORT, ObserverDeployment
from kwitness.operator.desired.sidecar_reach import allowed_namespaces
from kwitness.operator.environment.clusters import cluster_identity
from kwitness.operator.environment.collectors import ServingCollector, collector_address, collector_of
from kwitness.operator.environment.refused import refused_in
from kwitness.operator.kinds.observer_deployment.environment import observer_image, uses_sasl, uses_tls
from kwitness.operator.kinds.observer_deployment.header_registries import registries_of
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
    transparent = spec.transparent is not None
    redirected = _redirected(listener) if transparent else ()
    image = observer_image(settings)
    knowledge = view[KafkaState(Key(cluster.metadata.namespace, cluster.metadata.name))].value
    cluster_id, _ = cluster_identity(knowledge, cluster.metadata.name)
    collector = collector_of(resource.metadata.namespace, cluster, view)
    tls = spec.own_broker.tls if spec.mode == "Broker" else None
    if spec.mode == "Broker":
        check_own_listener(resource, listener, knowledge)
    upstream_ca = _authority(cluster, listener, knowledge) if spec.mode == "Sidecar" and not transparent else None
    namespaces = spec.namespace_selector
    return Injection(
        installation=settings.installation,
        namespace=metadata.namespace,
        name=metadata.name,
        priority=spec.priority,
        namespace_selector=namespaces,
        namespaces=allowed_namespaces(resource, settings) if namespaces is not None else None,
        pod_selector=spec.selector or LabelSelector(),
        containers=spec.containers or (),
        intercept=_intercept(resource),
        variables=None if spec.env is None else Variables.model_validate(spec.env.model_dump()),
        addresses=listener.bootstrap_servers,
        address_namespace=cluster.metadata.namespace,
        client_protocol="SASL_PLAINTEXT" if uses_sasl(listener) else "PLAINTEXT",
        observer=_container(image, settings, transparent=transparent),
        settings=_settings(
            resource,
            collector,
            _beside_client(resource, listener, upstream_ca, redirected)
            if spec.mode == "Sidecar"
            else _beside_broker(resource, listener),
            rules=registries_of(resource, view).rules,
            cluster_id=cluster_id,
            suspend=spec.suspend,
            sasl=uses_sasl(listener),
        ),
        upstream_ca=upstream_ca,
        collector_ca=collector.authority,
        token_audience=collector_audience(collector.resource.metadata.namespace, collector.resource.metadata.name),
        pod_volume=None if tls is None else tls.from_pod_volume.volume,
        refused_in=refused_in(body, resource, view[Refusals()].value or {}, now_ms=view.now_ms, settings=settings),
    )


def _settings(
    resource: ObserverDeployment,
    collector: ServingCollector,
    between: tuple[UpstreamSettings, ListenerSettings],
    *,
    rules: HeaderRules,
    cluster_id: str,
    suspend: bool,
    sasl: bool,
) -> ObserverSettings:
    upstream, listener = between
    is_sidecar = resource.spec.mode == "Sidecar"
    return ObserverSettings(
        cluster_id=cluster_id,
        namespace=resource.metadata.namespace,
        name=resource.metadata.name,
        mode="sidecar" if is_sidecar else "broker",
        reported_by="pod",
        suspend=suspend,
        upstream=upstream,
        listener=listener,
        **reported(resource, rules, sasl=sasl),
        collector=collector_address(collector, authority=_COLLECTOR_CA, token=_TOKEN),
        metrics_port=(resource.spec.sidecar_port if is_sidecar else DEFAULT_BASE_PORT) - 1,
    )


def _intercept(resource: ObserverDeployment) -> Literal["env", "inbound", "none", "transparent"]:
    spec = resource.spec
    if spec.mode == "Broker":
        return "none" if spec.own_broker.redirect is None else "inbound"
    if spec.transparent is not None:
        return "transparent"
    return "none" if spec.env is None else "env"


def _redirected(listener: ClientListener) -> tuple[int, ...]:
    """The ports at which clients reach the brokers, as far as they are known."""
    ports = {int(address.rpartition(":")[2]) for address in listener.bootstrap_servers}
    if reserved := sorted(RESERVED_PORTS & ports):
        raise TerminalError(
            "PortReserved",
            f"listener {listener.name} has port {reserved[0]}, and to redirect it would take connections of programs of"
            " every kind: give it other ports, or use spec.env in place of spec.transparent",
        )
    return tuple(sorted(ports))


def _beside_client(
    resource: ObserverDeployment, listener: ClientListener, upstream_ca: str | None, redirected: tuple[int, ...]
) -> tuple[UpstreamSettings, ListenerSettings]:
    encrypts = uses_tls(listener) and not redirected
    tls = UpstreamTls(ca_file=None if upstream_ca is None else _UPSTREAM_CA) if encrypts else None
    return UpstreamSettings(bootstrap_servers=listener.bootstrap_servers, tls=tls), ListenerSettings(
        name=listener.name,
        bind=_LOOPBACK,
        bootstrap_port=resource.spec.sidecar_port,
        advertised_host=_LOOPBACK,
        # Brokers get ports in the order in which a client sees them.
        brokers={},
        redirected=redirected,
    )


def _beside_broker(resource: ObserverDeployment, listener: ClientListener) -> tuple[UpstreamSettings, ListenerSettings]:
    broker = f"{_LOOPBACK}:{resource.spec.own_broker.own_port}"
    return UpstreamSettings(bootstrap_servers=(broker,)), own_listener_settings(resource, listener)


def _authority(cluster: KafkaCluster, listener: ClientListener, knowledge: ClusterKnowledge | None) -> str | None:
    """Who signs the brokers' certificates, PEM; None for the system's CAs, and without TLS."""
    tls = cluster.spec.tls
    if not uses_tls(listener):
        return None
    authority = knowledge.authority if knowledge is not None else None
    if authority is None and tls.enabled and tls.ca_secret_ref is not None:
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
            "resources": settings.observer.sidecar_resources,
            "run_as_user": user,
        }
    )
