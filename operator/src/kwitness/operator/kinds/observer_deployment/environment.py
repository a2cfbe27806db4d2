"""What an observer stands among: its cluster and listener, the collector it reports to, the rivals for the listener."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.sasl import MECHANISMS
from kwitness.operator.environment.clusters import key_of, referring
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.work import View

__all__ = [
    "conflict",
    "first_rival",
    "listener_of",
    "observer_image",
    "uses_sasl",
    "uses_tls",
]

_BOUND_TO_ADDRESSES: Final = frozenset({"GSSAPI", "AWS_MSK_IAM"})
"""Mechanisms that sign the name of the broker, which behind a gateway is another."""

_IN_PODS: Final = frozenset({"Sidecar", "Broker"})
"""Modes of observers that the injector puts into pods."""

_DEFAULT_LISTENER: Final = "DEFAULT"
"""How rows name the listener of the KafkaCluster's own bootstrap servers."""


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


def first_rival(
    resource: ObserverDeployment, cluster: KafkaCluster, listener: ClientListener, view: View
) -> Key | None:
    """Return the ObserverDeployment that comes before this one and reads the same clients; None if there is none.

    Two that read requests would count them twice. Rivals are in the same namespace or in that of the cluster, which
    comes first: no other namespace can keep this one from reading. One that reports connections alone may stand beside
    others, and observers beside clients stand in pods, each of which has one, and so do those beside brokers: the
    injector decides between two of them.
    """
    if not _counts_requests(resource):
        return None
    home = cluster.metadata.namespace
    rivals = [
        one
        for one in referring(ObserverDeployment, cluster, view)
        if key_of(one) == key_of(resource)
        or (
            one.metadata.namespace in (resource.metadata.namespace, home)
            and _counts_requests(one)
            and not one.spec.suspend
            and one.metadata.deletion_timestamp is None
            and not (one.spec.mode == resource.spec.mode and resource.spec.mode in _IN_PODS)
            and _shares_a_server(one, cluster, listener)
        )
    ]
    first = min(rivals, key=lambda one: precedence(one.spec.priority, *key_of(one), home=home))
    return None if key_of(first) == key_of(resource) else Key(*key_of(first))


def conflict(rival: Key, listener: ClientListener) -> tuple[Verdict, ...]:
    """What is said of a resource whose clients ``rival`` observes."""
    message = (
        f"ObserverDeployment {rival} comes before this one and observes clients of the same addresses"
        f" ({', '.join(listener.bootstrap_servers[:3])}), so everything would be counted twice: remove one of the two,"
        " give this one a higher spec.priority, unless only that one is in the cluster's namespace, or leave it with"
        " observers of type Connections alone; an observer that stands relays on and reads nothing"
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
