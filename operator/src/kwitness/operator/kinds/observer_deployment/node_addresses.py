"""Remembers the addresses of brokers behind a gateway: a new replica has seen no Metadata response with them.

What was known stays in the ConfigMap of the ports, so that an operator that has just started writes no shorter list.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kwitness.contracts.allowed_hosts import canonical_address, join_address
from kwitness.operator.shapes.facts import ClusterKnowledge

__all__ = ["ADDRESSES_KEY", "node_addresses"]

ADDRESSES_KEY: Final = "addresses.json"
"""Key of the ConfigMap that remembers them: ``host:port`` by node id."""

_EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - no listener


def node_addresses(
    config_map: Mapping[str, Any] | None, known: ClusterKnowledge | None, listener: str | None
) -> dict[int, str]:
    """Return ``host:port`` by node id, as clients of the listener find the brokers.

    What is no address is left out: an observer refuses settings with it.

    Parameters
    ----------
    config_map
        That which remembers them; what it says of other nodes stays.
    listener
        Name of the brokers' listener; None for that of spec.bootstrapServers.
    """
    addresses = dict(_remembered(config_map))
    for node, host, port in _advertised(known, listener):
        address = join_address(host, port)
        if host not in _EVERY_ADDRESS and canonical_address(address) is not None:
            addresses[node] = address
    return addresses


def _remembered(config_map: Mapping[str, Any] | None) -> Iterator[tuple[int, str]]:
    text = ((config_map or {}).get("data") or {}).get(ADDRESSES_KEY, "{}")
    # What was changed by hand is left out: observers find the addresses themselves.
    with contextlib.suppress(ValueError, AttributeError):
        for node, address in json.loads(text).items():
            if node.isdecimal() and isinstance(address, str) and canonical_address(address) is not None:
                yield int(node), address


def _advertised(known: ClusterKnowledge | None, listener: str | None) -> Iterator[tuple[int, str, int]]:
    if known is None:
        return
    if listener is None:
        yield from known.addresses
        return
    for found in known.listeners or ():
        if found.name == listener and found.advertised_host and found.advertised_port:
            yield found.node_id, found.advertised_host, found.advertised_port
