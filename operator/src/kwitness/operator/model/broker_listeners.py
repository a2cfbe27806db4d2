"""The listeners of a broker for clients, as its own configuration has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["BrokerListener", "listener_configs", "listeners_of"]

_LISTENERS: Final = "listeners"
_ADVERTISED: Final = "advertised.listeners"
_PROTOCOLS: Final = "listener.security.protocol.map"
_BETWEEN_BROKERS: Final = "inter.broker.listener.name"
_BETWEEN_BROKERS_BY_PROTOCOL: Final = "security.inter.broker.protocol"
_CONTROLLERS: Final = "controller.listener.names"
_CLIENT_AUTH: Final = "ssl.client.auth"
_MOST_BY_ADDRESS: Final = "max.connections.per.ip"
_UNLIMITED: Final = "2147483647"
_ENCRYPTED: Final = frozenset({"SSL", "SASL_SSL"})


@dataclass(frozen=True, slots=True)
class BrokerListener:
    """One listener of one broker.

    Attributes
    ----------
    host, port
        Where it is bound; an empty host is every address.
    advertised_host, advertised_port
        What clients are told; None for a listener that is not advertised.
    shared_with
        Who uses it beside clients: ``brokers``, ``controllers``; None for clients alone.
    encrypted
        Whether it speaks TLS.
    identifies_by_certificate
        Whether a certificate decides who a client is, or whether it is let in.
    connections_by_address
        How many connections the broker takes from one address; None for any number.
    """

    node_id: int
    name: str
    host: str
    port: int
    advertised_port: int | None = None
    advertised_host: str | None = None
    shared_with: str | None = None
    encrypted: bool = False
    identifies_by_certificate: bool = False
    connections_by_address: int | None = None


def listener_configs(names: Iterable[str]) -> tuple[str, ...]:
    """Configs of a broker that tell of the listeners of these names."""
    common = (
        *(_LISTENERS, _ADVERTISED, _PROTOCOLS, _BETWEEN_BROKERS, _BETWEEN_BROKERS_BY_PROTOCOL, _CONTROLLERS),
        *(_CLIENT_AUTH, _MOST_BY_ADDRESS),
    )
    return (*common, *(_of_listener(name, _CLIENT_AUTH) for name in names))


def listeners_of(node_id: int, configs: Mapping[str, str | None], names: Iterable[str]) -> tuple[BrokerListener, ...]:
    """Return those of these names that the broker has, by their names as they are asked for.

    Raises
    ------
    ValueError
        A port is none.
    """
    # Without any that is advertised, clients are told where listeners are bound.
    bound = {name: (host, port) for name, host, port in _addresses(configs.get(_LISTENERS))}
    advertised = {
        name: (host, port) for name, host, port in _addresses(configs.get(_ADVERTISED) or configs.get(_LISTENERS))
    }
    found = []
    for name in names:
        key = name.upper()
        if key in bound:
            host, port = bound[key]
            advertised_host, advertised_port = advertised.get(key, (None, None))
            found.append(
                BrokerListener(
                    node_id=node_id,
                    name=name,
                    host=host,
                    port=port,
                    advertised_port=advertised_port,
                    advertised_host=advertised_host,
                    shared_with=_shared_with(key, configs),
                    encrypted=_protocol(key, configs) in _ENCRYPTED,
                    identifies_by_certificate=_asks_who_by_certificate(key, configs),
                    connections_by_address=_most_by_address(configs),
                )
            )
    return tuple(found)


def _addresses(text: str | None) -> Iterator[tuple[str, str, int]]:
    """Name, host and port of each listener in a list of them."""
    for one in (text or "").split(","):
        name, scheme, address = one.strip().partition("://")
        if scheme:
            host, _, port = address.rpartition(":")
            yield name.upper(), host.strip("[]"), int(port)


def _shared_with(name: str, configs: Mapping[str, str | None]) -> str | None:
    controllers = {one.strip().upper() for one in (configs.get(_CONTROLLERS) or "").split(",")}
    between = configs.get(_BETWEEN_BROKERS) or configs.get(_BETWEEN_BROKERS_BY_PROTOCOL) or "PLAINTEXT"
    if name == between.strip().upper():
        return "brokers"
    return "controllers" if name in controllers else None


def _protocol(name: str, configs: Mapping[str, str | None]) -> str:
    pairs = (one.partition(":") for one in (configs.get(_PROTOCOLS) or "").upper().split(","))
    return {listener.strip(): value.strip() for listener, _, value in pairs}.get(name, name)


def _asks_who_by_certificate(name: str, configs: Mapping[str, str | None]) -> bool:
    protocol = _protocol(name, configs)
    if protocol not in _ENCRYPTED:
        return False
    asked = (configs.get(_of_listener(name, _CLIENT_AUTH)) or configs.get(_CLIENT_AUTH) or "none").lower()
    # Where SASL says who a client is, a certificate that is not required says nothing.
    return asked == "required" or (asked == "requested" and protocol == "SSL")


def _most_by_address(configs: Mapping[str, str | None]) -> int | None:
    value = configs.get(_MOST_BY_ADDRESS)
    return None if value in {None, "", _UNLIMITED} else int(value)


def _of_listener(name: str, config: str) -> str:
    return f"listener.name.{name.lower()}.{config}"
