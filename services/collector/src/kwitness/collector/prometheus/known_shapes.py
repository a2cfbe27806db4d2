"""Shapes of pushes that came twice alike, so that later ones need not be decoded as a whole."""

from __future__ import annotations

from typing import Final
from weakref import WeakValueDictionary

from kwitness.collector.otlp.points import Decoded, Kind
from kwitness.collector.otlp.shapes import Shape, shape_of
from kwitness.collector.prometheus.clients import Client
from kwitness.collector.prometheus.families import FamilyRegister
from kwitness.collector.prometheus.series import Slot

_MAX_SHAPES: Final = 2_048
_PLAIN: Final = frozenset({Kind.GAUGE, Kind.DELTA})


class KnownShapes:
    """All shapes that clients have now; a client keeps its own."""

    def __init__(self) -> None:
        self._shapes: WeakValueDictionary[tuple[bytes, ...], Shape] = WeakValueDictionary()

    def learn(self, state: Client, payload: bytes, decoded: Decoded, register: FamilyRegister) -> None:
        """Remember the shape of the client's pushes once two in a row are of the same size."""
        again, state.last_size = state.last_size == len(payload), len(payload)
        if not again or not decoded.metrics:
            return
        shape = shape_of(payload, decoded)
        if shape is None:
            return
        fed: list[Slot] = []
        factors: dict[Slot, float] = {}
        for name, unit, sent, points in decoded.metrics:
            family, factor, kind = register.resolve(name, unit, sent, state.holder)
            if family is None or kind not in _PLAIN:
                return
            for attributes, _, _, _ in points:
                slot = state.slots.get((name, attributes))
                if slot is None or slot.family != family.index or factors.setdefault(slot, factor) != factor:
                    return
                slot.factor = factor
                fed.append(slot)
        # Clients with the same metrics share one shape; those with attributes of their own may take only so many.
        known = self._shapes.get(shape.key())
        if known is None and len(self._shapes) < _MAX_SHAPES:
            known = self._shapes[shape.key()] = shape
        state.shape = known
        state.fed = fed
