"""What one client alone says, in the units in which it is exposed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kwitness.collector.core import ClientValue
from kwitness.collector.prometheus.clients import Client, SlotKey
from kwitness.collector.prometheus.families import Family, FamilyRegister
from kwitness.collector.prometheus.series import Gauge, Slot


def values_of(client: str, state: Client, register: FamilyRegister) -> Iterator[ClientValue]:
    """Yield the values of all metrics that a client feeds, in no order."""
    units = register.units()
    for key, slot in state.slots.items():
        family = register.families[slot.family]
        if not family.gone:
            newest = slot.push == state.pushes
            yield _value(key, slot, family, _held(client, slot), unit=units.get(slot.family, ""), is_newest=newest)


def _held(client: str, slot: Slot) -> float | None:
    """Return what a gauge holds of the client, where it is a number that can be told."""
    held = slot.series.of(client) if isinstance(slot.series, Gauge) else None
    return held if held is not None and math.isfinite(held) else None


def _value(key: SlotKey, slot: Slot, family: Family, held: float | None, *, unit: str, is_newest: bool) -> ClientValue:
    value = counted = total = None
    match family.type:
        case "gauge":
            value = None if held is None else held / family.divisor
        case "counter":
            value = slot.total / family.divisor
        case "histogram":
            counted, total = slot.count, slot.total / family.divisor
    exposed = f"{family.name}_total" if family.type == "counter" else family.name
    return ClientValue(key[0], exposed, family.type, unit, key[1], value, counted, total, is_newest)
