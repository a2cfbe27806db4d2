"""Cases of tests that are written as differences: what they mean, how they are found and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.case_files import read_cases, rewrite_outputs
from tests.compact_yaml import compact
from tests.merge_patch import difference, merged, on_base

TEXT = st.characters(min_codepoint=32, max_codepoint=126)
VALUES = st.recursive(
    st.booleans() | st.integers() | st.text(TEXT, max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(TEXT, max_size=2), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("base", "changes", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": None, "c": 3}, {"b": 2, "c": 3}),
        ({"a": {"b": 1, "c": None}}, {"a": {"d": 2}}, {"a": {"b": 1, "c": None, "d": 2}}),
        ({"a": 1}, {"b": {"c": None}}, {"a": 1, "b": {"c": None}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": [1, {"b": 2, "c": 3}]}, {"a": {1: {"b": 4}}}, {"a": [1, {"b": 4, "c": 3}]}),
        ([1, 2, 3], {0: None, 3: 4}, [2, 3, 4]),
        ([1], {}, {}),
    ],
)
def test_changes_mean_what_the_module_says(base: Any, changes: Any, expected: Any) -> None:
    assert merged(base, changes) == expected


def test_a_place_beyond_the_end_of_a_list_is_an_error() -> None:
    with pytest.raises(IndexError, match="place 2 of a list of 1: the next is 1"):
        merged([1], {2: 3})


@pytest.mark.slow
@given(VALUES, VALUES)
def test_a_difference_makes_the_value_of_its_base(base: Any, value: Any) -> None:
    assert merged(base, difference(base, value)) == value


def test_null_over_a_value_asks_for_another_base() -> None:
    with pytest.raises(ValueError, match="take another base"):
        difference({"a": 1}, {"a": None})


def test_a_base_may_have_a_base() -> None:
    cases = {"a": {"x": 1}, "b": {"base": "a", "y": 2}}

    assert on_base({"base": "b", "x": None, "z": 3}, cases.__getitem__) == {"y": 2, "z": 3}


@pytest.mark.slow
@given(st.dictionaries(st.text(TEXT, min_size=1, max_size=3), VALUES), st.integers(1, 3))
def test_compact_yaml_says_what_it_was_given(value: Any, blocks: int) -> None:
    assert yaml.safe_load(compact(value, blocks)) == value


def test_compact_yaml_takes_a_line_for_what_fits_into_one() -> None:
    value = {"case": {"short": {"a": [1, 2]}, "long": {"a": "x" * 100, "b": "y" * 30}, "text": "two\nlines\n"}}

    assert compact(value, blocks=2) == (
        f"case:\n  short: {{a: [1, 2]}}\n  long:\n    a: {'x' * 100}\n    b: {'y' * 30}\n"
        "  text: |\n    two\n    lines\n"
    )


def test_a_name_that_two_cases_have_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("a: {x: 1}\n")
    (tmp_path / "two.yaml").write_text("b: {x: 1}\na: {x: 2}\n")

    with pytest.raises(ValueError, match=r"two.yaml: line 2: 'a' is in .*one.yaml too"):
        read_cases(tmp_path)


def test_outputs_are_written_as_differences_from_the_base(tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text("a: {given: 1}\nb: {base: a, given: 2}\nc: {base: a, then: old}\n")
    outputs = {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}, "c": {"x": 1, "y": 2}}

    cases = rewrite_outputs(tmp_path, outputs.__getitem__)

    assert cases["a"].content["then"] == {"x": 1, "y": 2}
    assert cases["b"].content["then"] == {"y": 3}
    assert cases["c"].content == {"base": "a"}
