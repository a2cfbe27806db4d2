"""The node id of the broker in a pod."""

from __future__ import annotations

from kwitness.contracts.injections import Injection
from kwitness.contracts.observer_settings import UpstreamSettings

from .addresses import names_listener
from .pods import Json

__all__ = ["own_upstream"]


def own_upstream(injection: Injection, upstream: UpstreamSettings, pod: Json, namespace: str) -> UpstreamSettings:
    """Of the nodes beside brokers leave the pod's own, at the address where its observer reaches it.

    It is the one that brokers advertise under the pod's name in DNS, which a Service without an address of its own
    gives (``spec.hostname`` and ``spec.subdomain``). None or several: it is not known.
    """
    if not injection.is_beside_broker:
        return upstream
    spec = pod["spec"]
    name, subdomain = spec.get("hostname") or pod["metadata"].get("name"), spec.get("subdomain")
    own = []
    if name and subdomain:
        host = f"{name}.{subdomain}.{namespace}.svc"
        own = [
            node
            for node, address in upstream.nodes.items()
            if names_listener(address, namespace, [f"{host}:{address.rpartition(':')[2]}"], namespace)
        ]
    nodes = {own[0]: upstream.bootstrap_servers[0]} if len(own) == 1 else {}
    return upstream.model_copy(update={"nodes": nodes})
