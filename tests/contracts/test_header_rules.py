"""The examples of how headers are judged, traced and summed up fit the contract that they are examples of."""

from __future__ import annotations

import base64
from operator import itemgetter
from typing import Any

import pytest

from kwitness.contracts.header_rules import HEADER_PROBLEMS, SET_HEADER, HeaderRules
from kwitness.contracts.interceptor_settings import CHECKSUM_HEADER

from tests.vectors import vectors


@pytest.mark.parametrize("one", vectors("header_rules", "records"), ids=lambda one: one["name"])
def test_rules_of_examples_can_be_written_and_problems_stand_in_their_order(one: dict[str, Any]) -> None:
    rules = HeaderRules.model_validate(one["rules"])

    assert HeaderRules.model_validate_json(rules.model_dump_json()) == rules
    required = {key.name for key in rules.keys if key.required}
    assert set(one["missing"]) == required - {header["key"] for header in one["headers"]}
    for header in one["headers"]:
        problems = header["problems"]
        assert problems == sorted(problems, key=HEADER_PROBLEMS.index)
        assert header["registered"] is ("unregistered" not in problems)
        assert header["registered"] or header["counted_value"] is None


@pytest.mark.parametrize("example", vectors("header_rules", "sets"), ids=itemgetter("name"))
def test_keys_of_example_sets_are_counted_once_each_with_problems_that_there_are(example: dict[str, Any]) -> None:
    HeaderRules.model_validate(example["rules"])

    keys = [counted["key"] for counted in example["counted"]]
    assert len(keys) == len(set(keys))
    assert SET_HEADER in keys
    for counted in example["counted"]:
        assert set(counted["problems"]) <= set(HEADER_PROBLEMS)
        assert counted["registered"] is ("unregistered" not in counted["problems"])
        assert counted["removed"] <= counted["headers"]
    assert [header for header in example["left"] if header["key"] != SET_HEADER] == [
        header for header in example["headers"] if header in example["left"] and header["key"] != SET_HEADER
    ]


def test_every_problem_has_an_example() -> None:
    found = {
        problem
        for one in vectors("header_rules", "records")
        for header in one["headers"]
        for problem in header["problems"]
    }

    assert found | {"missing"} == set(HEADER_PROBLEMS)


def test_checksums_of_different_keys_and_values_are_different() -> None:
    examples = vectors("header_checksums", "checksums")
    checksums = [base64.b64decode(one["checksum_base64"]) for one in examples]

    assert {len(one) for one in checksums} == {16}
    assert len(set(checksums)) == len(checksums)
    assert CHECKSUM_HEADER.startswith("kwitness.")
