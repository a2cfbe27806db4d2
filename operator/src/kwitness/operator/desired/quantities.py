"""Amounts as Kubernetes writes them."""

from __future__ import annotations

from typing import Final

__all__ = ["mebibytes", "quantity"]

_UNITS: Final = {
    "": 1.0,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}


def quantity(text: str) -> float | None:
    """The number that ``500m`` or ``128Mi`` stands for; None if it is no quantity."""
    digits = text.rstrip("mkKMGTi")
    try:
        return float(digits) * _UNITS[text[len(digits) :]]
    except (KeyError, ValueError):
        return None


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
