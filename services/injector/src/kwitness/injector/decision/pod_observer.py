"""The observer that a pod has, as interceptors tell clients of it that are to connect to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.injections import Injection
from kwitness.contracts.interceptor_settings import SecurityProtocol, ThroughObserver
from kwitness.contracts.observer_settings import ObserverSettings

from .addresses import spellings_within

__all__ = ["PodObserver", "way_through"]

_WITH_TLS: Final[Mapping[SecurityProtocol, SecurityProtocol]] = {"PLAINTEXT": "SSL", "SASL_PLAINTEXT": "SASL_SSL"}


@dataclass(frozen=True, slots=True)
class PodObserver:
    """An observer beside a pod's clients, with the settings that it has there."""

    injection: Injection
    settings: ObserverSettings


def way_through(observer: PodObserver | None, namespace: str) -> ThroughObserver | None:
    """Return how clients of a pod in ``namespace`` connect to its observer.

    None where connections are redirected, so that clients need not know; without bootstrap servers where the pod has no
    observer beside clients.
    """
    if observer is None or observer.injection.is_beside_broker:
        return ThroughObserver()
    injection, settings = observer.injection, observer.settings
    if injection.redirects:
        return None
    spoken = injection.client_protocol
    protocols: dict[SecurityProtocol, SecurityProtocol] = {spoken: spoken}
    if settings.upstream.tls is not None:
        # The observer speaks TLS to the listener itself.
        protocols[_WITH_TLS[spoken]] = spoken
    known = (*injection.addresses, *settings.upstream.bootstrap_servers)
    return ThroughObserver(
        bootstrap_servers=f"{settings.listener.bind}:{settings.listener.bootstrap_port}",
        addresses=tuple(sorted(spellings_within(namespace, known, injection.address_namespace))),
        protocols=protocols,
    )
