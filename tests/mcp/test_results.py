"""Checks that answers are clean and bounded."""

from __future__ import annotations

import json

import pytest
from mcp_types import CallToolResult

from kwitness.answers.failure import CommandFailedError
from kwitness.mcp.results import MOST, MOST_CHARACTERS, MOST_OF_A_VALUE, answered, cleaned


def items_of(result: CallToolResult) -> list[object]:
    assert result.structured_content is not None
    return list(result.structured_content["items"])


def test_an_answer_has_as_many_items_as_its_characters_allow_and_counts_the_rest() -> None:
    items = [{"name": f"{number} {'x' * MOST_OF_A_VALUE}"} for number in range(MOST)]
    result = answered({"items": items, "left_out": 7})

    shown = items_of(result)
    assert 50 < len(shown) < MOST
    assert result.structured_content == {"items": cleaned(items[: len(shown)]), "left_out": 7 + MOST - len(shown)}
    assert len(result.content[0].text) <= MOST_CHARACTERS  # type: ignore[union-attr]


def test_an_answer_that_fits_is_whole() -> None:
    assert answered({"items": [1, 2]}).structured_content == {"items": [1, 2], "left_out": 0}
    assert answered({"items": []}).structured_content == {"items": [], "left_out": 0}


def test_one_item_that_is_too_long_is_refused_with_a_remedy() -> None:
    with pytest.raises(CommandFailedError, match="select fewer fields or columns"):
        answered({"items": [{str(number): "x" * MOST_OF_A_VALUE for number in range(200)}]})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\nb\x1b[31m\u202e", "a?b?[31m?"),
        ("ü漢", "ü漢"),
        ({"a\x00": ["\x07", 1, None, True, 1.5]}, {"a?": ["?", 1, None, True, 1.5]}),
        ("x" * MOST_OF_A_VALUE, "x" * MOST_OF_A_VALUE),
        ("x" * (MOST_OF_A_VALUE + 1), f"{'x' * MOST_OF_A_VALUE}…"),
    ],
)
def test_texts_are_cleaned_at_any_depth(value: object, expected: object) -> None:
    assert cleaned(value) == expected
    json.dumps(cleaned(value))
