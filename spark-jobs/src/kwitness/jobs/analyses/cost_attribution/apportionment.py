"""Whole numbers divided in proportion, so that the parts add up to the whole: the method of largest remainders. Pure.

Python's integers have no largest one, so nothing here is rounded twice, and nothing overflows.
"""

from __future__ import annotations

from collections.abc import Sequence


def apportioned(whole: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Divide a whole number by weights.

    Each part is its exact share rounded down, or one more; those with the largest remainders get one more, of equal
    ones those that come first.

    Parameters
    ----------
    whole, weights
        Not negative.

    Returns
    -------
    tuple[int, ...]
        One part for each weight; they add up to `whole`.

    Raises
    ------
    ValueError
        There is something to divide, and no weight above 0.
    """
    total = sum(weights)
    if total == 0:
        if whole:
            raise ValueError(f"{whole} cannot be divided: all weights are 0")
        return (0,) * len(weights)
    shares = [divmod(whole * weight, total) for weight in weights]
    parts = [share for share, _ in shares]
    left = whole - sum(parts)
    # Sorting keeps the order of equal ones.
    for at in sorted(range(len(weights)), key=lambda at: -shares[at][1])[:left]:
        parts[at] += 1
    return tuple(parts)
