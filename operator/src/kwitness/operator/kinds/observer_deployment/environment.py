"""What an observer stands among: its cluster and listener, the collector it reports to, the rivals for the listener."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel

from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.contracts.sasl import MECHANISMS
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key, depends_on_labels, may_refer
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import ClusterKnowledge, Fact, Labels, NamedObject, Referring, Watched
from kwitness.operator.shapes.work import View

__all__ = [
    "CollectorOfObserver",
    "cluster_identity",
    "collector_of",
    "conflict",
    "first_rival",
    "listener_of",
    "observer_image",
    "permitted_cluster",
    "present",
    "serving_collector",
    "uses_sasl",
    "uses_tls",
]

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_BOUND_TO_ADDRESSES: Final = frozenset({"GSSAPI", "AWS_MSK_IAM"})
"""Mechanisms that sign the name of the broker, which behind a gateway is another."""

_IN_PODS: Final = frozenset({"Sidecar", "Broker"})
"""Modes of observers that the injector puts into pods."""

_DEFAULT_LISTENER: Final = "DEFAULT"
"""How rows name the listener of the KafkaCluster's own bootstrap servers."""


def present(view: View, fact: Fact[T]) -> T | None:
    """Return what a fact says, None if it is not there.

    Raises
    ------
    OperatorError
        It could not be found out.
    """
    answer = view[fact]
    if answer.failure is not None:
        raise answer.failure
    return answer.value


def observer_image(settings: OperatorSettings) -> str:
    """Return the image.

    Raises
    ------
    TerminalError
        Unsupported: the installation names none.
    """
    if settings.images.observer is None:
        raise TerminalError(
            "Unsupported", "the installation names no image of the observer: set the Helm value images.observer"
        )
    return settings.images.observer


def cluster_identity(known: ClusterKnowledge | None, name: str) -> tuple[str, tuple[int, ...]]:
    """Cluster id and node ids.

    Raises
    ------
    TransientError
        ClusterNotReady: it was never reached.
    """
    if known is None or known.cluster_id is None or not known.node_ids:
        trouble = known.trouble if known is not None else None
        raise TransientError("ClusterNotReady", trouble or f"KafkaCluster {name} has not been reached yet: wait")
    return known.cluster_id, known.node_ids


def permitted_cluster(resource: ObserverDeployment, view: View) -> KafkaCluster:
    """Return the KafkaCluster that may be referred to.

    Raises
    ------
    TerminalError
        ClusterNotReady: there is none in the same namespace; RefNotPermitted, which does not tell whether there is one
        elsewhere.
    """
    own = resource.metadata.namespace
    at = cluster_key(own, resource.spec.cluster_ref)
    body = view[Watched("KafkaCluster", at)].value
    if body is None and at.namespace == own:
        raise TerminalError(
            "ClusterNotReady",
            f"there is no KafkaCluster {at.name} in this namespace: apply it, or correct spec.clusterRef",
        )
    if body is not None:
        cluster = parse_resource(KafkaCluster, body)
        if _may_refer(cluster, own, view):
            return cluster
    raise TerminalError(
        "RefNotPermitted",
        f"KafkaCluster {at} may not be referred to from namespace {own}: its owner can allow it in"
        " spec.allowedNamespaces",
    )


def listener_of(resource: ObserverDeployment, cluster: KafkaCluster) -> ClientListener:
    """Return the listener whose clients are observed.

    Raises
    ------
    TerminalError
        ListenerNotFound, ClientsUnencrypted, EncryptedNotRedirected, ProtocolNotRewritten, or MechanismNotRelayed.
    """
    reference = resource.spec.listener_ref
    # A redirected connection keeps the broker's name, and TLS reaches from end to end.
    # Clients know the broker by its own name.
    untouched = resource.spec.transparent is not None or resource.spec.mode == "Broker"
    if reference is None:
        listener = _default_listener(cluster, untouched=untouched)
    else:
        named = [one for one in cluster.spec.listeners if one.name == reference.name]
        if not named:
            raise TerminalError(
                "ListenerNotFound",
                f"KafkaCluster {cluster.metadata.name} has no {reference.name} in spec.listeners: add it there, or"
                " correct spec.listenerRef",
            )
        listener = named[0]
    if uses_tls(listener):
        _check_encryption(resource, listener)
    mechanisms = frozenset(listener.mechanisms or ())
    if mechanisms and mechanisms <= _BOUND_TO_ADDRESSES and not untouched:
        raise TerminalError(
            "MechanismNotRelayed",
            f"every mechanism of listener {listener.name} ({', '.join(sorted(mechanisms))}) signs the broker's name,"
            " so clients cannot sign in behind an observer: name a listener with PLAIN, SCRAM or OAUTHBEARER, or use"
            " the broker plugin",
        )
    return listener


def _check_encryption(resource: ObserverDeployment, listener: ClientListener) -> None:
    gateway, env = resource.spec.addresses, resource.spec.env
    if resource.spec.own_broker.redirect is not None:
        raise TerminalError(
            "EncryptedNotRedirected",
            f"clients of listener {listener.name} use TLS, and what is redirected beside a broker is read in plaintext"
            " alone: move the listener to loopback, with spec.broker.loopbackPort and spec.broker.tls in place of"
            " spec.broker.redirect, or use a gateway or the broker plugin",
        )
    if resource.spec.mode == "Broker" and resource.spec.own_broker.tls is None:
        raise TerminalError(
            "ClientsUnencrypted",
            f"clients of listener {listener.name} use TLS, which the observer beside the broker has to end: name the"
            " volume with the broker's certificate in spec.broker.tls.fromPodVolume",
        )
    if resource.spec.mode == "Gateway" and gateway.tls is None and not gateway.insecure_plaintext:
        raise TerminalError(
            "ClientsUnencrypted",
            f"clients of listener {listener.name} use TLS, and would speak plaintext to the gateway: name its"
            " certificate in spec.gateway.tls.secretRef, or accept it by spec.gateway.insecurePlaintext: true",
        )
    if env is not None and not env.security_protocol:
        raise TerminalError(
            "ProtocolNotRewritten",
            f"clients of listener {listener.name} use TLS, which the observer beside them speaks in their place; told"
            " the addresses alone, they would speak it to the observer and fail: name the variables that hold"
            " security.protocol in spec.env.securityProtocol",
        )


def uses_tls(listener: ClientListener) -> bool:
    """Whether brokers speak TLS at the listener."""
    return listener.security in {"Tls", "SaslTls"}


def uses_sasl(listener: ClientListener) -> bool:
    """Whether clients of the listener sign in by SASL."""
    return listener.security in {"SaslPlaintext", "SaslTls"}


def _default_listener(cluster: KafkaCluster, *, untouched: bool) -> ClientListener:
    """The listener that the operator uses itself; how it signs in is how clients do.

    Raises
    ------
    TerminalError
        MechanismNotRelayed: that is by a certificate, and connections are not relayed untouched.
    """
    spec, kind = cluster.spec, cluster.spec.authentication.type
    if kind == "mtls" and not untouched:
        raise TerminalError(
            "MechanismNotRelayed",
            f"clients of KafkaCluster {cluster.metadata.name}'s spec.bootstrapServers sign in by certificates (mutual"
            " TLS), which nobody can show in their place: name a listener with PLAIN, SCRAM or OAUTHBEARER in"
            " spec.listenerRef, or use the broker plugin",
        )
    security = f"{'Sasl' if kind in MECHANISMS else ''}{'Tls' if spec.tls.enabled else 'Plaintext'}"
    return ClientListener.model_validate(
        {
            "name": _DEFAULT_LISTENER,
            "bootstrap_servers": spec.bootstrap_servers,
            "security": security,
            "mechanisms": (MECHANISMS[kind],) if kind in MECHANISMS else None,
        }
    )


@dataclass(frozen=True, slots=True)
class CollectorOfObserver:
    """The TelemetryCollector that an observer reports to; ``authority`` is PEM text, None for the system's."""

    resource: TelemetryCollector
    authority: str | None


def collector_of(cluster: KafkaCluster, view: View) -> CollectorOfObserver:
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
            " observers report: apply one",
        )
    reference = collector.spec.ingest.tls.ca_config_map_ref
    if reference is None:
        return CollectorOfObserver(collector, None)
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
    return CollectorOfObserver(collector, str(authority))


def serving_collector(cluster: KafkaCluster, view: View) -> TelemetryCollector | None:
    """Return the TelemetryCollector that comes first among those that may name the cluster."""
    found = [one for one in _referring(TelemetryCollector, cluster, view) if one.metadata.deletion_timestamp is None]
    return min(found, key=lambda one: precedence(one.spec.priority, *_key(one)), default=None)


def first_rival(
    resource: ObserverDeployment, cluster: KafkaCluster, listener: ClientListener, view: View
) -> Key | None:
    """Return the ObserverDeployment that comes before this one and reads the same clients; None if there is none.

    Two that read requests would count them twice. One that reports connections alone may stand beside others, and
    observers beside clients stand in pods, each of which has one, and so do those beside brokers: the injector decides
    between two of them.
    """
    if not _counts_requests(resource):
        return None
    rivals = [
        one
        for one in _referring(ObserverDeployment, cluster, view)
        if _key(one) == _key(resource)
        or (
            _counts_requests(one)
            and not one.spec.suspend
            and one.metadata.deletion_timestamp is None
            and not (one.spec.mode == resource.spec.mode and resource.spec.mode in _IN_PODS)
            and _shares_a_server(one, cluster, listener)
        )
    ]
    first = min(rivals, key=lambda one: precedence(one.spec.priority, *_key(one)))
    return None if _key(first) == _key(resource) else Key(*_key(first))


def conflict(rival: Key, listener: ClientListener) -> tuple[Verdict, ...]:
    """What is said of a resource whose clients ``rival`` observes."""
    message = (
        f"ObserverDeployment {rival} comes before this one and observes clients of the same addresses"
        f" ({', '.join(listener.bootstrap_servers[:3])}), so everything would be counted twice: remove one of the two,"
        " give this one a higher spec.priority, or leave it with observers of type Connections alone; an observer that"
        " stands relays on and reads nothing"
    )
    return (
        Verdict("Ready", "False", "Conflict", message),
        Verdict("Reporting", "False", "AlreadyObserved", f"ObserverDeployment {rival} reports instead"),
    )


def _counts_requests(resource: ObserverDeployment) -> bool:
    return any(entry.type != "Connections" for entry in resource.spec.observers)


def _shares_a_server(rival: ObserverDeployment, cluster: KafkaCluster, listener: ClientListener) -> bool:
    try:
        theirs = listener_of(rival, cluster)
    except OperatorError:
        # Its own status says why it observes nothing.
        return False
    return not set(theirs.bootstrap_servers).isdisjoint(listener.bootstrap_servers)


def _referring(model: type[M], cluster: KafkaCluster, view: View) -> Iterator[M]:
    """Resources that may name the cluster and can be read; the others' own statuses say what is wrong."""
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    answer = view.get(Referring(model.__name__, at))
    for body in (answer.value or ()) if answer is not None else ():
        if _may_refer(cluster, body["metadata"]["namespace"], view):
            try:
                yield parse_resource(model, body)
            except OperatorError:
                continue


def _may_refer(cluster: KafkaCluster, namespace: str, view: View) -> bool:
    answer = view.get(Labels(namespace)) if depends_on_labels(cluster, namespace) else None
    return may_refer(cluster, namespace, None if answer is None else answer.value)


def _key(resource: ObserverDeployment | TelemetryCollector) -> tuple[str, str]:
    return resource.metadata.namespace, resource.metadata.name
