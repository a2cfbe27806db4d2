"""Finds the ObserverDeployment that reads in the place of another, so that each connection is counted once.

Rivals of one namespace go by priority. Where a connection passes two observers, also of two namespaces, the one nearer
to the brokers reads: see docs/decisions/0143-each-connection-is-counted-once.md.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.resources.gateway import Gateway
from kwitness.contracts.resources.kafka_cluster import ClientListener, KafkaCluster
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.contracts.resources.precedence import precedence
from kwitness.operator.environment.clusters import key_of, referring
from kwitness.operator.kinds.observer_deployment.environment import listener_of
from kwitness.operator.kinds.observer_deployment.gateway_settings import advertised_host
from kwitness.operator.kinds.observer_deployment.sidecars.own_broker import check_own_listener
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import KafkaState
from kwitness.operator.shapes.work import View
from kwitness.runtime.child_names import gateway_name

__all__ = ["Rival", "conflict", "first_rival"]

_SERVICE: Final = ".svc"
_BEHIND_SERVICE: Final = re.compile(rf"(?<={re.escape(_SERVICE)})\.[^:]*")


@dataclass(frozen=True, slots=True)
class Rival:
    """The ObserverDeployment that reads; ``is_behind`` says that it is between this one and the brokers."""

    key: Key
    is_behind: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """An ObserverDeployment that reads, and where its observers connect to, as `_spelling` writes it."""

    resource: ObserverDeployment
    upstream: frozenset[str]

    @property
    def namespace(self) -> str:
        return self.resource.metadata.namespace

    @property
    def order(self) -> tuple[int, str]:
        return precedence(self.resource.spec.priority, self.resource.metadata.name)


def first_rival(
    resource: ObserverDeployment, cluster: KafkaCluster, listener: ClientListener, view: View
) -> Rival | None:
    """Return the ObserverDeployment that reads the same connections in the place of this one; None if there is none.

    One that reports connections alone may be beside others. Between two sidecars the injector decides, pod by pod.
    Nothing is between an observer beside a broker and that broker.
    """
    if not _counts_requests(resource) or resource.spec.broker is not None:
        return None
    home, own = cluster.metadata.namespace, _Reader(resource, _addresses(listener))
    others = [
        reader
        for other in referring(ObserverDeployment, cluster, view)
        if key_of(other) != key_of(resource) and (reader := _reader(other, cluster, view)) is not None
    ]
    behind = [other for other in others if _is_behind(other, own, home)]
    before = [
        other
        for other in others
        if other.namespace == own.namespace
        and other.order < own.order
        and not other.upstream.isdisjoint(own.upstream)
        and (other.resource.spec.sidecar is None or resource.spec.sidecar is None)
        and not _is_behind(own, other, home)
    ]
    first = min(behind or before, key=lambda other: other.order, default=None)
    return None if first is None else Rival(Key(*key_of(first.resource)), is_behind=bool(behind))


def conflict(rival: Rival, listener: ClientListener) -> tuple[Verdict, ...]:
    """What is said of a resource whose clients ``rival`` observes."""
    addresses = ", ".join(listener.bootstrap_servers[:3])
    if rival.is_behind:
        message = (
            f"ObserverDeployment {rival.key} is between this one and the brokers ({addresses}) and reads all that this"
            " one would pass on, so everything would be counted twice: name another listener in spec.listenerRef,"
            " remove this one, or leave it with observers of type Connections alone"
        )
    else:
        message = (
            f"ObserverDeployment {rival.key} comes before this one and observes clients of the same addresses"
            f" ({addresses}), so everything would be counted twice: remove one of the two, give this one a higher"
            " spec.priority, or leave it with observers of type Connections alone"
        )
    return (
        Verdict("Ready", "False", "Conflict", f"{message}; a gateway that runs relays on and reads nothing"),
        Verdict("Reporting", "False", "AlreadyObserved", f"ObserverDeployment {rival.key} reports instead"),
    )


def _counts_requests(resource: ObserverDeployment) -> bool:
    return any(entry.type != "Connections" for entry in resource.spec.observers)


def _reader(resource: ObserverDeployment, cluster: KafkaCluster, view: View) -> _Reader | None:
    """None if it reads nothing; what is not known of the brokers yet does not say so."""
    if not _counts_requests(resource) or resource.spec.suspend or resource.metadata.deletion_timestamp is not None:
        return None
    try:
        listener = listener_of(resource, cluster)
        if resource.spec.broker is not None:
            at = Key(cluster.metadata.namespace, cluster.metadata.name)
            with suppress(TransientError):
                check_own_listener(resource.spec.broker, listener, view[KafkaState(at)].value)
    except TerminalError:
        # Its own status says why it observes nothing.
        return None
    return _Reader(resource, _addresses(listener))


def _is_behind(other: _Reader, own: _Reader, home: str) -> bool:
    """Whether connections of ``own`` pass ``other``.

    ``home`` is the namespace of the KafkaCluster, which names where both connect to. Of other namespaces than that and
    ``own``'s, a gateway counts by the name of its Service, and an observer beside brokers by Services of its namespace:
    a tenant could claim the rest.
    """
    is_trusted = other.namespace in (own.namespace, home)
    if other.resource.spec.broker is not None:
        shared, suffix = other.upstream & own.upstream, f".{other.namespace}{_SERVICE}"
        return any(is_trusted or address.partition(":")[0].endswith(suffix) for address in shared)
    gateway = other.resource.spec.gateway
    if gateway is not None:
        # Where clients know the brokers' own address, it leads elsewhere for them than for the gateway.
        return not own.upstream.isdisjoint(
            _own_addresses(other.resource, gateway, advertised=is_trusted) - other.upstream
        )
    return False


def _own_addresses(resource: ObserverDeployment, gateway: Gateway, *, advertised: bool) -> frozenset[str]:
    service = f"{gateway_name(resource.metadata.name)}.{resource.metadata.namespace}"
    hosts = (service, f"{service}{_SERVICE}", *((advertised_host(resource, gateway),) if advertised else ()))
    return frozenset(_spelling(f"{host}:{gateway.bootstrap_port}") for host in hosts)


def _addresses(listener: ClientListener) -> frozenset[str]:
    return frozenset(map(_spelling, listener.bootstrap_servers))


def _spelling(address: str) -> str:
    """host:port in lower case, of a Service's name without what is behind ``.svc``."""
    return _BEHIND_SERVICE.sub("", address.lower())
