"""Amounts as Kubernetes writes them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

__all__ = ["mebibytes", "quantity"]

_AMOUNT: Final = re.compile(
    r"([0-9]{1,32}(?:\.[0-9]{0,32})?|\.[0-9]{1,32})([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?"
)
_POWERS_OF_TEN: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_POWERS_OF_TWO: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def quantity(text: str) -> Fraction | None:
    """The number that ``500m`` or ``128Mi`` stands for, exactly; None if it is no quantity."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    digits, unit = found[1], found[2] or ""
    if unit in _POWERS_OF_TWO:
        return Fraction(digits) * (1 << _POWERS_OF_TWO[unit])
    power = _POWERS_OF_TEN[unit] if unit in _POWERS_OF_TEN else int(unit[1:] or 0)
    return Fraction(digits) * Fraction(10) ** power


def mebibytes(text: str) -> int:
    """An amount of memory in whole mebibytes, rounded up.

    Raises
    ------
    ValueError
        If ``text`` is no quantity.
    """
    amount = quantity(text)
    if amount is None:
        raise ValueError(f"{text!r} is not an amount such as 512Mi")
    return -int(-amount // 2**20)
