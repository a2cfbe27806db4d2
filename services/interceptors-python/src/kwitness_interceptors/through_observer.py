"""How a client connects to the observer of its pod instead of the listener that it would connect to.

contracts/vectors/through_observer.json has examples of which clients do and which go on by themselves, for every
runtime.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Optional

from .settings import ThroughObserver

__all__ = ["OTHER_SERVERS", "Way", "way_through"]

OTHER_SERVERS = "metadata.broker.list"
"""Another name of `bootstrap.servers` in librdkafka."""

_SERVERS = "bootstrap.servers"
_SECURITY_PROTOCOL = "security.protocol"
_DEFAULT_PORT = "9092"
"""Of clients that need none to be named."""
_OF_CERTIFICATES = ("ssl.certfile", "ssl.certificate.", "ssl.engine.", "ssl.key.", "ssl.keyfile", "ssl.keystore.")
"""What settings that give a client a certificate begin with, Java's, librdkafka's and those of clients in Python."""
_CONTEXT = "ssl.context"
"""An object that may have a certificate; there is no asking."""
_MECHANISMS = ("sasl.mechanism", "sasl.mechanisms")
_DEFAULT_MECHANISM = "GSSAPI"
_OF_A_HOST = frozenset(("AWS_MSK_IAM", "GSSAPI"))
"""Mechanisms whose tickets or signatures are for a host by its name."""


class Way(NamedTuple):
    """What a client's settings become, by Kafka's names; `reason` says why it goes on by itself, if it does."""

    changes: Mapping[str, str]
    reason: Optional[str] = None


def way_through(through: ThroughObserver, config: Mapping[str, Any]) -> Way:
    """Decide for a client with this configuration by Kafka's names."""
    servers = [_reduced(one) for one in _listed(config.get(_SERVERS) or config.get(OTHER_SERVERS))]
    if not servers or through.bootstrap_servers in servers:
        return Way({})
    if through.bootstrap_servers is None:
        return Way({}, "no_observer")
    if not any(one in through.addresses for one in servers):
        return Way({}, "other_cluster")
    protocol = str(config.get(_SECURITY_PROTOCOL) or "PLAINTEXT").upper()
    reason = _refusal(through, protocol, config)
    changes = {_SERVERS: through.bootstrap_servers, _SECURITY_PROTOCOL: through.protocols.get(protocol, protocol)}
    return Way(changes) if reason is None else Way({}, reason)


def _refusal(through: ThroughObserver, protocol: str, config: Mapping[str, Any]) -> Optional[str]:
    """Why a client would not be let in through the observer as it is without."""
    if protocol not in through.protocols:
        return "security_protocol"
    if _signs_in_by_certificate(config, protocol):
        return "client_certificate"
    return "sasl_mechanism" if protocol.startswith("SASL_") and _mechanism(config) in _OF_A_HOST else None


def _listed(servers: Any) -> Iterable[str]:
    if isinstance(servers, str):
        return [one for one in servers.split(",") if one.strip()]
    return [one for one in servers or () if isinstance(one, str)]


def _reduced(server: str) -> str:
    """Return host:port in lower case, and of a name within Kubernetes what is before ``.svc``."""
    text = server.strip().rpartition("://")[2]
    host, colon, port = text.rpartition(":")
    # An IPv6 address without port ends with its bracket.
    if not colon or port.endswith("]"):
        host, port = text, _DEFAULT_PORT
    host = host.lower().rstrip(".")
    service, within, _ = f"{host}.".partition(".svc.")
    return f"{service if within else host}:{port}"


def _signs_in_by_certificate(config: Mapping[str, Any], protocol: str) -> bool:
    if not protocol.endswith("SSL"):
        return False
    if any(value and key.startswith(_OF_CERTIFICATES) for key, value in config.items() if isinstance(key, str)):
        return True
    return protocol == "SSL" and bool(config.get(_CONTEXT))


def _mechanism(config: Mapping[str, Any]) -> str:
    named = (config.get(name) for name in _MECHANISMS)
    return str(next((one for one in named if one), _DEFAULT_MECHANISM)).upper()
