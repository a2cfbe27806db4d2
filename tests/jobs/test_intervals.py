from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from kwitness.jobs.frame.intervals import (
    Intervals,
    coalesced,
    difference,
    holes,
    intersection,
    size,
    text,
    union,
    within,
)

NUMBERS = st.sets(st.integers(0, 40), max_size=30)


def intervals(numbers: set[int]) -> Intervals:
    return coalesced((one, one) for one in numbers)


def numbers_of(of: Intervals) -> set[int]:
    return {one for first, last in of for one in range(first, last + 1)}


@given(NUMBERS)
def test_a_set_has_one_form_alone(numbers: set[int]) -> None:
    form = intervals(numbers)

    assert numbers_of(form) == numbers
    assert size(form) == len(numbers)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(form))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12))
def test_pairs_in_any_order_that_overlap_are_put_together(pairs: list[tuple[int, int]]) -> None:
    assert numbers_of(coalesced(pairs)) == numbers_of(tuple(pairs))
    assert coalesced(reversed(pairs)) == coalesced(pairs) == intervals(numbers_of(tuple(pairs)))


@given(NUMBERS, NUMBERS)
def test_two_sets_go_together_as_sets_of_numbers_do(one: set[int], other: set[int]) -> None:
    left, right = intervals(one), intervals(other)

    assert union(left, right) == intervals(one | other)
    assert intersection(left, right) == intervals(one & other)
    assert difference(left, right) == intervals(one - other)


@given(NUMBERS, st.integers(-1, 41), st.integers(-1, 41))
@example({0, 1, 2, 3, 4, 14, 15}, 15, 14)
def test_a_part_is_cut_out(numbers: set[int], first: int, last: int) -> None:
    assert within(intervals(numbers), first, last) == intervals({one for one in numbers if first <= one <= last})


@given(NUMBERS)
def test_holes_are_what_is_missing_between(numbers: set[int]) -> None:
    missing = set(range(min(numbers), max(numbers))) - numbers if numbers else set()

    assert holes(intervals(numbers)) == intervals(missing)


def test_people_read_ranges() -> None:
    assert text(((1, 340), (342, 342))) == "1-340, 342"
