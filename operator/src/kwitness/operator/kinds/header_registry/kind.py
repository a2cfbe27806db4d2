"""HeaderRegistry as the engine sees it: all registers are one unit, since a key is registered once."""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.header_registry.decide import decide
from kwitness.operator.kinds.header_registry.needs import KIND, needs
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Every
from kwitness.operator.shapes.work import KindSpec, Unit

__all__ = ["HEADER_REGISTRY"]

_ALL: Final = Unit(KIND, Key("all", "registers"))

HEADER_REGISTRY: Final = KindSpec(
    kind=KIND, unit=lambda _key: _ALL, needs=needs, decide=decide, members=lambda _unit: Every(KIND)
)
