"""Distributions on one table of integer bounds, so that every writer fills the same buckets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from kwitness.contracts.envelopes.envelope_model import Count, Envelope

__all__ = ["LONGEST_US", "SKETCH_BOUNDS", "SKETCH_RULE", "SizeSketch", "Sketch", "bucket_of"]

LONGEST_US = 86_400_000_000
"""A day, in microseconds: the last bound is not below it."""

SKETCH_RULE = (
    "bounds in microseconds; the first is 1, the next max(b + 1, b * 101 // 99), up to the first one of at least "
    "86400000000; a value is in the bucket of the first bound that is not below it, one beyond the last in the last"
)


def _bounds() -> Iterator[int]:
    bound = 1
    while bound < LONGEST_US:
        yield bound
        bound = max(bound + 1, bound * 101 // 99)
    yield bound


SKETCH_BOUNDS: tuple[int, ...] = tuple(_bounds())
"""Upper bounds of the buckets, in microseconds, both ends about one percent from the middle."""


def bucket_of(value_us: int) -> int:
    """Return the number of the bucket that counts `value_us`: microseconds, or bytes."""
    return min(bisect_left(SKETCH_BOUNDS, value_us), len(SKETCH_BOUNDS) - 1)


class Sketch(Envelope):
    """A distribution of durations that adds up bucket by bucket; a quantile is off by one percent at most.

    The bounds are in `contracts/vectors/sketch_bounds.json`.
    """

    buckets: dict[Annotated[str, Field(max_length=8)], Count] = Field(
        default_factory=dict, description="Counts by number of the bucket.", max_length=2048
    )
    sum_us: Count = Field(0, description="Sum of all durations, in microseconds.")


class SizeSketch(Envelope):
    """A distribution of sizes, likewise: the bounds are the same numbers, in bytes."""

    buckets: dict[Annotated[str, Field(max_length=8)], Count] = Field(
        default_factory=dict, description="Counts by number of the bucket.", max_length=2048
    )
    sum_bytes: Count = Field(0, description="Sum of all sizes, in bytes.")
