"""`make fuzz`, with small properties of its own."""

from __future__ import annotations

import io
import itertools
import re
from pathlib import Path

import pytest

from kwitness.devtools.suite.fuzz import fuzz, main

pytestmark = pytest.mark.slow


@pytest.fixture
def properties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    (tmp_path / "conftest.py").write_text(
        "from hypothesis import settings\n"
        "settings.register_profile('fuzz', max_examples=500, derandomize=False, database=None, deadline=None)\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path / "test_it.py"


PROPERTY = """
import pathlib
from hypothesis import given, strategies as st
@given(st.integers(0, 2**40))
def test_it(number):
    with pathlib.Path("seen").open("a") as seen: seen.write(f"{{number}}\\n")
    assert {holds}
def test_without_examples(): assert False, "is no property"
"""


def test_rounds_follow_each_other_until_the_time_is_over_and_try_other_examples(properties: Path) -> None:
    properties.write_text(PROPERTY.format(holds="True"))
    shown = io.BytesIO()
    clock = itertools.count().__next__

    assert fuzz([], seconds=3, seed=7, out=shown, clock=clock) == 0

    assert re.findall(r"== a round with seed (\d+) ==", shown.getvalue().decode()) == ["7", "8"]
    assert len(set((properties.parent / "seen").read_text().split())) > 800


def test_what_is_found_ends_it_and_its_seed_finds_it_again(properties: Path) -> None:
    properties.write_text(PROPERTY.format(holds="number < 1000"))

    for _ in range(2):
        shown = io.BytesIO()
        assert fuzz(["test_it.py"], seconds=60, seed=11, out=shown) == 1
        told = shown.getvalue().decode()
        assert told.count("== a round") == 1
        assert "number=1000" in told
        assert "this round failed; --seed 11 repeats it" in told


def test_no_round_begins_when_there_is_no_time(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "0"]) == 0
    assert capfd.readouterr().out == ""
