"""Finds the listener whose clients an ObserverDeployment observes, and the image of its observers."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment, ObserverDeploymentSpec
from kwitness.contracts.sasl import MECHANISMS
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.settings import OperatorSettings

__all__ = [
    "listener_of",
    "observer_image",
    "uses_sasl",
    "uses_tls",
]

_BOUND_TO_ADDRESSES: Final = frozenset({"GSSAPI", "AWS_MSK_IAM"})
"""Mechanisms that sign the name of the broker, which behind a gateway is another."""

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
    untouched = resource.spec.is_transparent or resource.spec.broker is not None
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
        _check_encryption(resource.spec, listener)
    mechanisms = frozenset(listener.mechanisms or ())
    if mechanisms and mechanisms <= _BOUND_TO_ADDRESSES and not untouched:
        raise TerminalError(
            "MechanismNotRelayed",
            f"every mechanism of listener {listener.name} ({', '.join(sorted(mechanisms))}) signs the broker's name,"
            " so clients cannot sign in behind an observer: name a listener with PLAIN, SCRAM or OAUTHBEARER, or use"
            " the broker plugin",
        )
    return listener


def _check_encryption(spec: ObserverDeploymentSpec, listener: ClientListener) -> None:
    if spec.broker is not None and spec.broker.redirect is not None:
        raise TerminalError(
            "EncryptedNotRedirected",
            f"clients of listener {listener.name} use TLS, and what is redirected beside a broker is read in plaintext"
            " alone: move the listener to loopback, with spec.broker.loopbackPort and spec.broker.tls in place of"
            " spec.broker.redirect, or use a gateway or the broker plugin",
        )
    if spec.broker is not None and spec.broker.tls is None:
        raise TerminalError(
            "ClientsUnencrypted",
            f"clients of listener {listener.name} use TLS, which the observer beside the broker has to end: name the"
            " volume with the broker's certificate in spec.broker.tls.fromPodVolume",
        )
    if spec.gateway is not None and spec.gateway.certificate is None and not spec.gateway.accepts_plaintext:
        raise TerminalError(
            "ClientsUnencrypted",
            f"clients of listener {listener.name} use TLS, and would speak plaintext to the gateway: name its"
            " certificate in spec.gateway.tls.secretRef, or accept it by spec.gateway.tls.mode Disabled",
        )
    if spec.sidecar is not None and spec.sidecar.env is not None and not spec.sidecar.env.security_protocol:
        raise TerminalError(
            "ProtocolNotRewritten",
            f"clients of listener {listener.name} use TLS, which the observer beside them speaks in their place; told"
            " the addresses alone, they would speak it to the observer and fail: name the variables that hold"
            " security.protocol in spec.sidecar.env.securityProtocol",
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
    security = f"{'Sasl' if kind in MECHANISMS else ''}{'Tls' if spec.tls.mode == 'Required' else 'Plaintext'}"
    return ClientListener.model_validate(
        {
            "name": _DEFAULT_LISTENER,
            "bootstrap_servers": spec.bootstrap_servers,
            "security": security,
            "mechanisms": (MECHANISMS[kind],) if kind in MECHANISMS else None,
        }
    )
