"""Objectives, spans and burn rates: whole numbers, without Spark."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kwitness.contracts.records.sketch import SKETCH_BOUNDS
from kwitness.contracts.resources.analytics_parameters import LatencySloParameters
from kwitness.jobs.analyses.latency_slo.burning import FAST, SLOW, burn_rate, remaining
from kwitness.jobs.analyses.latency_slo.objectives import WHOLE, needs_requests, objectives_of
from kwitness.jobs.frame.sketches import nearest_bucket
from kwitness.jobs.frame.window_cover import cover, last
from kwitness.jobs.frame.windows import Span

HOUR_MS = 3_600_000
MONTH_MS = 720 * HOUR_MS


def parameters(**objective: object) -> LatencySloParameters:
    whole = {"name": "one", "threshold": "50ms", "target": "99.9", **objective}
    return LatencySloParameters.model_validate({"objectives": [whole]})


@given(st.integers(1_000, 3_600_000_000))
def test_a_threshold_is_counted_at_most_one_percent_away(microseconds: int) -> None:
    assert abs(SKETCH_BOUNDS[nearest_bucket(microseconds)] - microseconds) * 100 <= microseconds


@pytest.mark.parametrize("target", ["0", "0.0", "00.000000", "100", "-1", "1e1", "99.9999999", "nan", ""])
def test_an_objective_that_is_none_is_refused(target: str) -> None:
    with pytest.raises(ValidationError, match=r"target"):
        parameters(target=target)


@pytest.mark.parametrize("key", ["team", "clientId", "k8s_node", "topic"])
def test_a_key_that_is_not_known_is_refused(key: str) -> None:
    with pytest.raises(ValidationError, match=r"groupBy"):
        parameters(groupBy=[key])


def test_two_objectives_of_one_name_are_refused() -> None:
    (one,) = parameters().objectives

    with pytest.raises(ValidationError, match=r"two objectives have the name one"):
        LatencySloParameters(objectives=(one, one))


@pytest.mark.parametrize(
    ("given_", "evidence"),
    [
        ({}, "traffic"),
        ({"match": {"principal": "User:*", "api": "Fetch"}, "groupBy": ["Api", "client_id"]}, "traffic"),
        ({"match": {"topic": "orders"}}, "requests"),
        ({"groupBy": ["principal", "Topic"]}, "requests"),
    ],
)
def test_what_names_topics_is_computed_from_single_answers(given_: dict[str, object], evidence: str) -> None:
    (one,) = objectives_of(parameters(**given_))

    assert one.evidence == evidence
    assert needs_requests(parameters(**given_)) == (evidence == "requests")
    assert one.counted_us == (50_000 if evidence == "requests" else SKETCH_BOUNDS[one.bucket])


@given(st.integers(1, 99_999_999))
def test_a_budget_is_what_is_left_of_all_answers_to_the_last_digit(budget: int) -> None:
    target = f"{(WHOLE - budget) // 1_000_000}.{(WHOLE - budget) % 1_000_000:06d}"

    assert objectives_of(parameters(target=target))[0].budget == budget


def test_an_hour_that_uses_a_fiftieth_of_a_month_is_fast_and_three_days_that_use_a_tenth_are_slow() -> None:
    assert FAST.rate(MONTH_MS) == Fraction("14.4")
    assert SLOW.rate(MONTH_MS) == 1


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(1, WHOLE - 1))
def test_what_remains_of_a_budget_is_what_the_burn_rate_leaves(bad: int, good: int, budget: int) -> None:
    assert remaining(bad, bad + good, budget) == 1 - burn_rate(bad, bad + good, budget)


@given(st.integers(0, 10**13), st.sampled_from([1, 7, 300, 3600, 86_400]), st.integers(1, MONTH_MS))
def test_the_last_windows_have_ended_and_reach_as_far_as_asked(now_ms: int, base: int, length_ms: int) -> None:
    span = last(length_ms, now_ms, base)

    assert span.end <= now_ms < span.end + base * 1000
    assert length_ms <= span.end - span.start < length_ms + base * 1000
    assert (span.end - span.start) % (base * 1000) == 0


@given(st.data())
def test_rows_cover_each_moment_once_and_only_closed_windows_are_long(data: st.DataObject) -> None:
    base = data.draw(st.sampled_from([10, 300, 900, 3600]))
    span = Span(*sorted(data.draw(st.integers(0, 4 * 86_400 // base)) * base * 1000 for _ in range(2)))
    closed = {
        length: data.draw(st.integers(0, 5 * 86_400 // length)) * length * 1000
        for length in data.draw(st.sets(st.sampled_from([3600, 86_400])))
        if length > base
    }

    pieces = cover(span, base, closed)

    edges = [span.start, *(piece.span.end for piece in pieces)]
    assert [piece.span.start for piece in pieces] == edges[:-1]
    assert edges[-1] == span.end
    for seconds, (start, end) in pieces:
        assert start < end
        assert start % (seconds * 1000) == end % (seconds * 1000) == 0
        assert seconds == base or end <= closed[seconds]
    for seconds, until in closed.items():
        # No shorter windows where a whole longer one has a row.
        for piece in (one for one in pieces if one.seconds < seconds):
            first = -(-piece.span.start // (seconds * 1000)) * seconds * 1000
            assert first + seconds * 1000 > min(piece.span.end, until)
