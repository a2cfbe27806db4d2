"""Sets of whole numbers as intervals: numbers that a source gave, offsets of a partition.

A set is a tuple of pairs (first, last), both included, sorted, with at least one number missing between any two of
them; so equal sets are equal tuples. Each function takes and gives sets of this form.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

Interval = tuple[int, int]
Intervals = tuple[Interval, ...]

EMPTY: Intervals = ()


def coalesced(pairs: Iterable[Interval]) -> Intervals:
    """The set of all numbers of some pairs, in any order, which may overlap; one with last < first is empty."""
    found: list[Interval] = []
    for first, last in sorted(pair for pair in pairs if pair[0] <= pair[1]):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def union(one: Intervals, other: Intervals) -> Intervals:
    """Numbers of either."""
    if not one or not other:
        return one or other
    return coalesced((*one, *other))


def intersection(one: Intervals, other: Intervals) -> Intervals:
    """Numbers of both."""
    found: list[Interval] = []
    left = right = 0
    while left < len(one) and right < len(other):
        first, last = max(one[left][0], other[right][0]), min(one[left][1], other[right][1])
        if first <= last:
            found.append((first, last))
        if one[left][1] < other[right][1]:
            left += 1
        else:
            right += 1
    return tuple(found)


def difference(one: Intervals, other: Intervals) -> Intervals:
    """Numbers of `one` that `other` has not."""
    found: list[Interval] = []
    at = 0
    for first, last in one:
        begin = first
        while at < len(other) and other[at][1] < first:
            at += 1
        index = at
        while index < len(other) and other[index][0] <= last:
            if begin < other[index][0]:
                found.append((begin, other[index][0] - 1))
            begin = max(begin, other[index][1] + 1)
            index += 1
        if begin <= last:
            found.append((begin, last))
    return tuple(found)


def within(numbers: Intervals, first: int, last: int) -> Intervals:
    """Numbers from `first` to `last`, none where `last` is below. It looks at the intervals there alone."""
    if last < first:
        return ()
    start = bisect_left(numbers, first, key=lambda pair: pair[1])
    end = bisect_left(numbers, last + 1, key=lambda pair: pair[0])
    return tuple((max(low, first), min(high, last)) for low, high in numbers[start:end])


def holes(numbers: Intervals) -> Intervals:
    """Numbers that are missing between the first one and the last one."""
    return tuple((before[1] + 1, after[0] - 1) for before, after in pairwise(numbers))


def size(numbers: Intervals) -> int:
    """How many numbers there are."""
    return sum(last - first + 1 for first, last in numbers)


def text(numbers: Iterable[Interval]) -> str:
    """For people: `1-340, 342`."""
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in numbers)
