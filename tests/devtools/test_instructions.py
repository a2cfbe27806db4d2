"""What is said of the instructions that were counted; the counting itself is `make test-wire`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.devtools.wire.instructions import BASELINE, Counts, judged

NAMES = ("produce count", "fetch count", "produce rewrite", "fetch rewrite")
COMPILER = "1.95.0 x86_64-unknown-linux-gnu"


def counts(produce: int, compiler: str = COMPILER) -> Counts:
    return Counts(compiler, dict(zip(NAMES, (produce, 6_000, 2_000, 2_000), strict=True)))


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        (953, "953 instructions, baseline 1,000 (-4.7%)"),
        (1_000, "1,000 instructions, baseline 1,000 (+0.0%)"),
        (1_050, "1,050 instructions, baseline 1,000 (+5.0%)"),
    ],
)
def test_five_percent_more_or_less_are_shown_and_pass(now: int, shown: str) -> None:
    lines, problems = judged(counts(now), counts(1_000))

    assert lines[0] == f"one Produce of 4 KiB, followed and counted: {shown}"
    assert problems == []


def test_more_fail_with_what_was_measured_the_baseline_and_how_to_refresh_it() -> None:
    _, (problem,) = judged(counts(1_051), counts(1_000))

    assert problem.startswith("one Produce of 4 KiB, followed and counted: 1,051 instructions, baseline 1,000 (+5.1%)")
    assert "`make instructions`" in problem


def test_many_fewer_pass_with_how_to_write_them_down() -> None:
    (line, *_), problems = judged(counts(952), counts(1_000))

    assert "to hold on to what was gained, `make instructions`" in line
    assert problems == []


def test_counts_of_different_compilers_are_not_compared() -> None:
    lines, (problem,) = judged(counts(1_000, "1.96.0 x86_64-unknown-linux-gnu"), counts(1_000))

    assert lines == []
    assert problem.startswith(f"the baseline was measured with {COMPILER}, and here is 1.96.0")


def test_what_is_written_down_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "instructions.json"
    counts(1_000).write(file)

    assert Counts.read(file) == counts(1_000)
    assert Counts.read(BASELINE).by_input.keys() == counts(1_000).by_input.keys()
