"""Whether the addresses in a variable are those of a listener, however they are spelled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["names_listener", "spellings_within"]

_DEFAULT_PORT: Final = "9092"
"""Where librdkafka connects when no port is named."""
_EXPANSION: Final = "$("


def names_listener(value: str, namespace: str, known: Iterable[str], known_namespace: str) -> bool:
    """Whether one of the addresses in ``value`` is known; so is one that cannot be told before the pod starts.

    Short host names are looked up in the pod's ``namespace``, those of ``known`` in ``known_namespace``.
    """
    if not value.strip() or _EXPANSION in value:
        return True
    ours = {spelling for address in known for spelling in _spellings(address, known_namespace)}
    theirs = {spelling for address in value.split(",") for spelling in _spellings(address, namespace)}
    return not ours.isdisjoint(theirs)


def spellings_within(namespace: str, known: Iterable[str], known_namespace: str) -> frozenset[str]:
    """Return host:port as clients in ``namespace`` may write the known addresses.

    In lower case, without a scheme, and of names within Kubernetes only what is before ``.svc``.
    """
    hosts = {spelling for address in known for spelling in _spellings(address, known_namespace)}
    short = {(host.removesuffix(f".{namespace}"), port) for host, port in hosts}
    return frozenset(f"{host}:{port}" for host, port in hosts | short)


def _spellings(address: str, namespace: str) -> set[tuple[str, str]]:
    """Host and port, with the host as <service>.<namespace> where it may be one."""
    text = address.strip().rpartition("://")[2]
    host, colon, port = text.rpartition(":")
    # An IPv6 address without port ends with its bracket.
    if not colon or port.endswith("]"):
        host, port = text, _DEFAULT_PORT
    host = host.lower().rstrip(".")
    service, in_the_cluster, _ = f"{host}.".partition(".svc.")
    if in_the_cluster:
        return {(service, port)}
    if ":" in host:  # IPv6
        return {(host, port)}
    if "." not in host:
        return {(f"{host}.{namespace}", port)}
    return {(host, port), (f"{host}.{namespace}", port)}
