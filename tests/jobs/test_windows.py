from __future__ import annotations

from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kwitness.jobs.frame.windows import Span, base_seconds, inside, joined, longer_lengths, spans, widened

STARTS = st.sets(st.integers(0, 400).map(lambda number: number * 10_000), max_size=40)


@given(starts=STARTS, most=st.integers(1, 8))
def test_few_spans_hold_all_windows_and_only_the_smallest_gaps(starts: set[int], most: int) -> None:
    found = spans(starts, 10, most)

    assert len(found) <= most
    assert all(any(one.start <= start < one.end for one in found) for start in starts)
    assert {one.start for one in found} <= starts
    exact = spans(starts, 10, 1000)
    assert sum(one.end - one.start for one in exact) == 10_000 * len(starts)
    gaps = sorted(after.start - before.end for before, after in pairwise(exact))
    closed = gaps[: max(0, len(exact) - most)]
    assert sum(one.end - one.start for one in found) == 10_000 * len(starts) + sum(closed)


@given(starts=STARTS)
def test_longer_windows_hold_the_shorter_ones(starts: set[int]) -> None:
    found = widened(spans(starts, 10), 60)

    assert all(one.start % 60_000 == 0 and one.end % 60_000 == 0 for one in found)
    assert all(any(one.start <= start and start + 10_000 <= one.end for one in found) for start in starts)


def test_windows_that_touch_or_overlap_are_one_span() -> None:
    assert joined([Span(0, 10), Span(10, 20), Span(15, 18), Span(30, 40)]) == (Span(0, 20), Span(30, 40))


def test_a_longer_length_is_made_only_of_whole_shorter_windows() -> None:
    assert longer_lengths(300, (3600, 86_400)) == (3600, 86_400)
    assert longer_lengths(3600, (3600, 86_400)) == (86_400,)
    assert longer_lengths(420, (3600, 86_400)) == ()
    assert longer_lengths(7200, (86_400, 3600)) == (86_400,)


def test_windows_are_whole_seconds() -> None:
    assert [base_seconds(one) for one in (0.2, 1.0, 300.0)] == [1, 1, 300]


def test_a_condition_names_days_first_so_that_other_days_are_not_looked_at() -> None:
    found = inside([Span(86_399_000, 86_400_000), Span(172_800_000, 172_801_000)])

    assert f"day >= DATE'{date(1970, 1, 1)}' AND day <= DATE'{date(1970, 1, 3)}'" in found
    assert inside([]) == "false"
