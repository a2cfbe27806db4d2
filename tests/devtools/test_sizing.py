"""How many executors follow from what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.bench.sizing import ALLOWED, Line, Point, error_of, executors, fit, page

ROOT = Path(__file__).resolve().parents[2]
MEASURED = json.loads((ROOT / "bench" / "results" / "spark_sizing.json").read_text())


@given(batch=st.floats(0.1, 100), client=st.floats(1e-6, 1))
def test_points_of_a_line_give_that_line(batch, client) -> None:
    line = Line(batch, client)

    found = fit([Point(clients, line.seconds(clients)) for clients in (500, 2_000, 8_000)])

    assert found.batch == pytest.approx(batch, rel=1e-3, abs=1e-3)
    assert found.client == pytest.approx(client, rel=1e-3, abs=1e-6)


def test_a_fleet_that_costs_less_when_it_is_larger_is_taken_as_one_that_costs_the_same() -> None:
    assert fit([Point(10, 2.0), Point(20, 1.0)]).client == 0


def test_one_size_is_no_line() -> None:
    with pytest.raises(ValueError, match="two sizes"):
        fit([Point(10, 2.0), Point(10, 2.0)])


def test_half_of_the_cores_is_left_for_what_waits() -> None:
    # A minute of work a minute is two cores at half load: one executor.
    assert executors(Line(0, 60 / 10_000), 10_000) == 1
    assert executors(Line(0, 61 / 10_000), 10_000) == 2


def test_the_error_is_of_what_was_measured() -> None:
    assert error_of(Line(0, 1), Point(100, 80)) == pytest.approx(0.25)


def test_the_page_is_made_from_what_was_measured() -> None:
    assert (ROOT / "docs" / "operations" / "sizing.md").read_text() == page(MEASURED), (
        "docs/operations/sizing.md is not what bench/results/spark_sizing.json gives: make bench-spark JOBS=sizing"
    )


@pytest.mark.parametrize("job_type", MEASURED["jobs"])
def test_a_fourth_measured_size_is_on_the_line_through_the_others(job_type: str) -> None:
    job = MEASURED["jobs"][job_type]

    assert abs(error_of(fit([Point(*point) for point in job["points"]]), Point(*job["fourth"]))) <= ALLOWED
