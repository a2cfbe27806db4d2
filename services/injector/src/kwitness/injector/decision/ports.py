"""The observer's ports in a pod: all of them move together where the pod itself has one of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from kwitness.contracts.observer_settings import ObserverSettings

__all__ = ["moved"]

_MOST_MOVED: Final = 1_000
_ROOM: Final = 100
"""Ports after the first, for brokers that get theirs as they are seen: an application may open its own later."""
_HIGHEST: Final = 65_535


def moved(settings: ObserverSettings, in_use: Collection[int]) -> ObserverSettings | None:
    """Return the settings with ports that are free, each higher by the same least number; None where there are none.

    Beside a broker the port for clients is theirs to know, unless they are redirected, and only the one for metrics
    moves.
    """
    if settings.mode == "broker" and not settings.listener.redirected:
        return _metrics_moved(settings, in_use)
    listener = settings.listener
    first = listener.bootstrap_port
    # Where connections are redirected, brokers keep their own ports.
    seen = () if listener.redirected else range(first + 1, first + 1 + _ROOM)
    wanted = {settings.metrics_port, first, *(listener.brokers.values() or seen)}
    for more in range(min(_MOST_MOVED, _HIGHEST - max(wanted)) + 1):
        if all(port + more not in in_use for port in wanted):
            break
    else:
        return None
    brokers = {node: port + more for node, port in listener.brokers.items()}
    ports = {"bootstrap_port": listener.bootstrap_port + more, "brokers": brokers}
    return settings.model_copy(
        update={"metrics_port": settings.metrics_port + more, "listener": listener.model_copy(update=ports)}
    )


def _metrics_moved(settings: ObserverSettings, in_use: Collection[int]) -> ObserverSettings | None:
    upstream = {int(address.rpartition(":")[2]) for address in settings.upstream.bootstrap_servers}
    taken = {settings.listener.bootstrap_port, *upstream, *in_use}
    last = min(settings.metrics_port + _MOST_MOVED, _HIGHEST)
    free = (port for port in range(settings.metrics_port, last + 1) if port not in taken)
    port = next(free, None)
    return None if port is None else settings.model_copy(update={"metrics_port": port})
