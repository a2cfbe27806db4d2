"""Each change has an entry, and says what to do where something changes or goes."""

from __future__ import annotations

import tomllib
from pathlib import Path

from kwitness.devtools.release.fragments import KINDS, problems

ROOT = Path(__file__).resolve().parents[2]


def test_fragments_and_entries_say_what_to_do() -> None:
    assert problems(ROOT) == []


def test_towncrier_knows_the_same_kinds() -> None:
    types = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]["type"]

    assert {each["directory"] for each in types} == set(KINDS)
