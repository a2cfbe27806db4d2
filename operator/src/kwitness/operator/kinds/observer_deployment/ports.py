"""Which port of a gateway leads to which broker: the lowest one free when the broker was first seen, for ever.

Clients hold on to the address of a broker, so a port that moved would lead them to another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.operator.model.errors import TerminalError

__all__ = ["SLOTS_KEY", "assign_slots", "port_of", "remembered_slots"]

SLOTS_KEY: Final = "slots.json"
"""Key of the ConfigMap that remembers them: slot by node id."""


def remembered_slots(config_map: Mapping[str, Any] | None) -> dict[int, int]:
    """Read slot by node id from the ConfigMap; none where it does not exist.

    Raises
    ------
    TerminalError
        PortsUnreadable: someone changed it. Other ports could lead clients to the wrong broker.
    """
    if config_map is None:
        return {}
    text = (config_map.get("data") or {}).get(SLOTS_KEY, "")
    try:
        found = json.loads(text)
        slots = {int(node): int(slot) for node, slot in found.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise _unreadable(config_map) from error
    if any(slot < 0 for slot in slots.values()) or len(set(slots.values())) != len(slots):
        raise _unreadable(config_map)
    return slots


def assign_slots(remembered: Mapping[int, int], node_ids: Iterable[int]) -> dict[int, int]:
    """Give each node that has none the lowest free slot; those that are gone keep theirs."""
    slots = dict(remembered)
    taken = set(slots.values())
    for node in sorted(set(node_ids) - slots.keys()):
        slot = next(number for number in range(len(taken) + 1) if number not in taken)
        slots[node] = slot
        taken.add(slot)
    return slots


def port_of(bootstrap_port: int, slot: int, highest: int) -> int:
    """Return the port of a slot: those above the bootstrap port in order, without that of the metrics.

    Raises
    ------
    TerminalError
        LimitExceeded: it would be above ``highest``.
    """
    port = bootstrap_port + 1 + slot
    if bootstrap_port < PROBE_PORT <= port:
        port += 1
    if port > highest:
        raise TerminalError(
            "LimitExceeded",
            f"more brokers were seen than there are ports from {bootstrap_port} to {highest}: choose a lower"
            " spec.gateway.bootstrapPort",
        )
    return port


def _unreadable(config_map: Mapping[str, Any]) -> TerminalError:
    name = config_map["metadata"]["name"]
    return TerminalError(
        "PortsUnreadable",
        f"ConfigMap {name} does not say any more which broker has which port: restore its key {SLOTS_KEY}, or delete"
        " the ConfigMap, and brokers get ports again from the first",
    )
