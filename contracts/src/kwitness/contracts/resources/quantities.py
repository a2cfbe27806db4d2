"""Amounts as Kubernetes writes them: an integer, or a string such as 500m, 128Mi or 1e9."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

__all__ = ["Quantity", "amount_of", "check_bounds", "mebibytes", "quantity", "within"]

_AMOUNT: Final = re.compile(
    r"([0-9]{1,32}(?:\.[0-9]{0,32})?|\.[0-9]{1,32})([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?"
)
_POWERS_OF_TEN: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_POWERS_OF_TWO: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Quantity = Annotated[
    str,
    BeforeValidator(_as_text),
    WithJsonSchema(
        {
            "x-kubernetes-int-or-string": True,
            "description": "The amount, such as 500m, 2, 128Mi or 1e9.",
            "maxLength": 32,
            "pattern": f"^({_AMOUNT.pattern})$".replace("(?:", "("),
        }
    ),
]
"""An amount. Whole numbers become text; CEL rules cannot be written on it, since their estimated costs are too high."""


def quantity(text: str) -> Fraction | None:
    """Return the number that ``500m`` or ``128Mi`` stands for, exactly; None if it is no quantity."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    digits, unit = found[1], found[2] or ""
    if unit in _POWERS_OF_TWO:
        return Fraction(digits) * (1 << _POWERS_OF_TWO[unit])
    power = _POWERS_OF_TEN[unit] if unit in _POWERS_OF_TEN else int(unit[1:] or 0)
    return Fraction(digits) * Fraction(10) ** power


def amount_of(text: str) -> Fraction:
    """Return the number that a quantity stands for.

    Raises
    ------
    ValueError
        If ``text`` is no quantity.
    """
    amount = quantity(text)
    if amount is None:
        raise ValueError(f"{text!r} is not an amount such as 512Mi")
    return amount


def mebibytes(text: str) -> int:
    """Return an amount of memory in whole mebibytes, rounded up.

    Raises
    ------
    ValueError
        If ``text`` is no quantity.
    """
    return -int(-amount_of(text) // 2**20)


def check_bounds(text: str, minimum: str, maximum: str | None = None) -> None:
    """Do nothing where an amount is from `minimum` to `maximum`, both included.

    Raises
    ------
    ValueError
        It is not; the message has the bounds.
    """
    if amount_of(text) < amount_of(minimum) or (maximum is not None and amount_of(text) > amount_of(maximum)):
        bounds = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise ValueError(f"{text} is out of bounds: use an amount {bounds}")


def within(minimum: str, maximum: str | None = None) -> AfterValidator:
    """Return the mark of an amount from `minimum` to `maximum`, which the operator checks."""

    def checked(text: str) -> str:
        check_bounds(text, minimum, maximum)
        return text

    return AfterValidator(checked)
