"""`make demo PARTS=...` starts these parts and what they need, and shows nothing of others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kwitness.demo import images, up
from kwitness.demo.part_names import TRY, part_names
from kwitness.demo.parts import with_needs
from kwitness.demo.summary import render
from kwitness.sandbox.waiting import run_to_end

from tests.demo.test_summary import FACTS

ROOT = Path(__file__).resolve().parents[2]


def named(*names: str) -> list[str]:
    """Return the names of the parts that a choice starts."""
    return [part.name for part in with_needs([part for part in up.PARTS if part.name in names], up.PARTS)]


@pytest.mark.parametrize(
    "command",
    [["make", "check-demo", "PARTS=clients nope"], [sys.executable, "-m", "kwitness.demo", "up", "--parts", "nope"]],
)
def test_a_name_that_no_part_has_is_answered_with_the_names_before_anything_starts(command: list[str]) -> None:
    done = run_to_end(command, cwd=ROOT)

    assert done.returncode != 0
    assert f"unknown in PARTS: nope; choose from {', '.join(part_names())}" in done.stderr
    assert done.stdout == ""


def test_make_demo_checks_the_names_before_it_makes_an_environment() -> None:
    (rule,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("demo:")]

    assert rule.split()[1:4] == ["prerequisites-demo", "check-demo", ".venv-try/.done"]


def test_names_that_are_checked_are_those_of_the_parts() -> None:
    assert set(part_names()) == {TRY, *(part.name for part in up.PARTS)}


def test_a_choice_brings_what_it_needs_in_the_order_of_all() -> None:
    assert named("sidecars", "clients") == ["credentials", "charts", "broker", "collector", "sidecars", "clients"]
    assert named(*part_names()) == [part.name for part in up.PARTS]


def test_spark_and_interceptors_come_after_all_that_need_neither() -> None:
    slow = {"interceptors", "spark"}
    is_slow = [any(slow & set(part.images) for part in with_needs([chosen], up.PARTS)) for chosen in up.PARTS]

    assert is_slow == sorted(is_slow)
    assert [part for part, late in zip(up.PARTS, is_slow, strict=True) if late] == list(up.SLOW)


def test_a_choice_without_analyses_needs_no_image_of_spark() -> None:
    needed = {image for part in with_needs([up.gateway, up.clients], up.PARTS) for image in part.images}

    assert needed == set(images.ALL) - {"spark", "interceptors", "observer-host", "console"}


def test_the_summary_shows_nothing_of_parts_that_were_not_started() -> None:
    shown = render(FACTS, named("gateway"))

    assert "Through the gateway" in shown
    for title in ("A handful of their metrics", "Beside a client", "In a client", "Headers", "Delta table"):
        assert title not in shown
