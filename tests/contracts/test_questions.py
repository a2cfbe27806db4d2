"""Parameters of questions over HTTP become what the examples say, or are refused for the reason that they give."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.generate.http_api import OPERATIONS
from kwitness.contracts.generate.question_parameters import parameters_of
from kwitness.contracts.nouns import NOUNS
from kwitness.contracts.questions import InvalidQuestionError, Noun

from tests.vectors import vectors

BY_PATH = {noun.path: noun for noun in NOUNS}


@pytest.mark.parametrize("example", vectors("questions", "questions"), ids=lambda example: example["name"])
def test_parameters_become_a_question(example: dict[str, Any]) -> None:
    question = BY_PATH[example["path"]].question(example["parameters"])

    assert {
        "filters": dict(question.filters),
        "fields": list(question.fields),
        "order": None if question.order is None else question.order.text,
        "limit": question.limit,
        "continue": question.after,
        "since": question.since,
    } == {name: example[name] for name in ("filters", "fields", "order", "limit", "continue", "since")}


@pytest.mark.parametrize("example", vectors("questions", "refused"), ids=lambda example: example["name"])
def test_parameters_are_refused_with_reason_and_remedy(example: dict[str, Any]) -> None:
    with pytest.raises(InvalidQuestionError, match=r"is none of|must be a number from 1 to 1000|leave out") as refused:
        BY_PATH[example["path"]].question(example["parameters"])

    assert refused.value.reason == example["reason"]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.path)
def test_filters_and_orders_are_described_fields_of_the_item(noun: Noun) -> None:
    assert {*noun.filters, *noun.orders} <= {*noun.fields}
    assert all(field.description for field in noun.item.model_fields.values())


def test_an_error_repeats_the_beginning_of_what_it_refuses_alone() -> None:
    with pytest.raises(InvalidQuestionError) as refused:
        NOUNS[0].question({"x" * 100_000: "1"})

    assert len(str(refused.value)) < 1_000


def test_the_reference_has_every_parameter_of_the_nouns_that_are_answered() -> None:
    listed = {operation.path: operation.parameters for operation in OPERATIONS if operation.path in BY_PATH}

    assert listed
    for path, parameters in listed.items():
        assert parameters == parameters_of(BY_PATH[path])
        assert [name for name, _, _ in parameters] == list(BY_PATH[path].parameters)
