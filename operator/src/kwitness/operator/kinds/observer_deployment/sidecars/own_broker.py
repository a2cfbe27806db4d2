"""Checks the listener of brokers that have observers in their pods, and says where the observer listens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kwitness.contracts.injections import POD_VOLUME_FOLDER
from kwitness.contracts.observer_settings import EVERY_ADDRESS, ListenerSettings, ListenerTls
from kwitness.contracts.resources.kafka_cluster import ClientListener
from kwitness.contracts.resources.own_broker import OwnBroker
from kwitness.contracts.resources.sidecar import DEFAULT_BASE_PORT
from kwitness.operator.model.broker_listeners import BrokerListener
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.wording import some
from kwitness.operator.shapes.facts import ClusterKnowledge

__all__ = ["check_own_listener", "own_listener_settings", "own_listener_verdicts"]

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})


def check_own_listener(own: OwnBroker, listener: ClientListener, knowledge: ClusterKnowledge | None) -> None:
    """Refuse a listener that has others than clients, whose clients would be somebody else afterwards, or unread.

    Raises
    ------
    TerminalError
        ListenerShared, IdentityWouldChange, or EncryptedNotRedirected.
    TransientError
        ClusterNotReady: no broker told what its listeners are.
    """
    name = listener.name
    found = _of(listener, knowledge)
    if found is None:
        raise TransientError(
            "ClusterNotReady",
            f"no broker has told yet what its listener {name} is for: wait; if it stays so, see the KafkaCluster's"
            " status and the permission DescribeConfigs on the cluster, which `kwitness acls` prints",
        )
    shared = [one for one in found if one.shared_with is not None]
    if shared:
        raise TerminalError(
            "ListenerShared",
            f"listener {name} is also the one of {shared[0].shared_with} ({_brokers(shared)}), who would come through"
            " the observer as well: give brokers a listener for clients alone, and name that in spec.listenerRef",
        )
    asking = [one for one in found if one.identifies_by_certificate]
    if asking:
        raise TerminalError(
            "IdentityWouldChange",
            f"listener {name} asks clients for certificates ({_brokers(asking)}), which the observer cannot show in"
            " their place, so the broker would know them as somebody else: name a listener where clients sign in by"
            " SASL or not at all, or use the broker plugin",
        )
    encrypted = [one for one in found if one.encrypted]
    if encrypted and own.redirect is not None:
        raise TerminalError(
            "EncryptedNotRedirected",
            f"brokers speak TLS at listener {name} ({_brokers(encrypted)}), and what is redirected beside them is read"
            " in plaintext alone: correct the listener's security in the KafkaCluster, and move it to loopback with"
            " spec.broker.loopbackPort and spec.broker.tls in place of spec.broker.redirect",
        )


def own_listener_settings(own: OwnBroker, listener: ClientListener) -> ListenerSettings:
    """Where the observer listens in the broker's place, or is sent what comes to the broker."""
    redirects = own.redirect is not None
    volume = own.tls.from_pod_volume if own.tls is not None else None
    tls = None
    if volume is not None:
        tls = ListenerTls(
            certificate_file=f"{POD_VOLUME_FOLDER}/{volume.certificate}", key_file=f"{POD_VOLUME_FOLDER}/{volume.key}"
        )
    return ListenerSettings(
        name=listener.name,
        bind=EVERY_ADDRESS,
        bootstrap_port=DEFAULT_BASE_PORT if redirects else own.port,
        # Nobody is told: the broker's own answers pass as they are.
        advertised_host=EVERY_ADDRESS,
        brokers={},
        tls=tls,
        redirected=(own.port,) if redirects else (),
    )


def own_listener_verdicts(
    own: OwnBroker, listener: ClientListener, knowledge: ClusterKnowledge | None
) -> tuple[Verdict, ...]:
    """Where brokers listen, if they were moved, and what sees one address as that of every client."""
    found = _of(listener, knowledge) or ()
    if own.redirect is not None:
        return (_addresses(found, "SeenAsPod", "their own pod's address", "OWN_HOST_OF_EACH"),)
    return (_where(own, listener, found), _addresses(found, "SeenAsLoopback", "127.0.0.1", "127.0.0.1"))


def _where(own: OwnBroker, listener: ClientListener, found: tuple[BrokerListener, ...]) -> Verdict:
    name = listener.name
    wanted = f"127.0.0.1:{own.own_port}"
    if not found:
        return Verdict(
            "Loopback", "Unknown", "ListenerUnknown", f"no broker has a listener {name} yet: {_remedy(own, name)}"
        )
    elsewhere = [one for one in found if not _is_behind(one, own)]
    if elsewhere:
        one = elsewhere[0]
        where = f"{one.host}:{one.port}{' with TLS' if one.encrypted else ''}, advertised at port {one.advertised_port}"
        return Verdict(
            "Loopback",
            "False",
            "ListenerElsewhere",
            f"{name} is not plaintext at {wanted} on {_brokers(elsewhere)} ({where}), so the observer there waits and"
            f" clients reach the broker as before: {_remedy(own, name)}",
        )
    return Verdict("Loopback", "True", "ListenerOnLoopback", f"{name} is at {wanted} on {_brokers(found)}")


def _remedy(own: OwnBroker, name: str) -> str:
    return (
        f"with the observer in place, set {name}://127.0.0.1:{own.own_port} in listeners,"
        f" {name}://HOST:{own.port} in advertised.listeners, and restart one broker after the other"
    )


def _is_behind(one: BrokerListener, own: OwnBroker) -> bool:
    at = one.host in _LOOPBACK and one.port == own.own_port and one.advertised_port == own.port
    return at and not one.encrypted


def _addresses(found: tuple[BrokerListener, ...], reason: str, seen: str, unlimited: str) -> Verdict:
    """``seen`` is what brokers see, ``unlimited`` the host in their configuration of limits."""
    limits = [one for one in found if one.connections_by_address is not None]
    limited = ""
    if limits:
        limited = (
            f"; max.connections.per.ip is {limits[0].connections_by_address} on {_brokers(limits)}, for all clients"
            f" together: set max.connections.per.ip.overrides={unlimited}:2147483647"
        )
    return Verdict(
        "ClientAddresses",
        "False",
        reason,
        f"brokers see {seen} as the address of every client of the listener: ACLs by host, limits of connections and"
        " of connection rates by address, and subscriptions that match clientSourceAddress do not tell clients apart;"
        f" quotas by user and client id stay{limited}",
    )


def _of(listener: ClientListener, knowledge: ClusterKnowledge | None) -> tuple[BrokerListener, ...] | None:
    if knowledge is None or knowledge.listeners is None:
        return None
    return tuple(one for one in knowledge.listeners if one.name == listener.name)


def _brokers(found: Iterable[BrokerListener]) -> str:
    nodes = {one.node_id for one in found}
    return f"broker{'s' if len(nodes) > 1 else ''} {some(nodes)}"
