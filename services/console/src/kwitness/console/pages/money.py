"""Amounts of money as pages show them."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

__all__ = ["MICRO", "money"]

MICRO: Final = 1_000_000
"""Millionths of a unit, as tables have costs."""
_CENT: Final = Decimal("0.01")
_UNKNOWN: Final = "\N{EN DASH}"


def money(micro_units: Decimal | int | None) -> str:
    """Return millionths of a currency in units of it, to the cent; a dash where they are not known."""
    if micro_units is None:
        return _UNKNOWN
    units = Decimal(micro_units) / MICRO
    return "< 0.01" if 0 < units < _CENT else f"{units.quantize(_CENT):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
