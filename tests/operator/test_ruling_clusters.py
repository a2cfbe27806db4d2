"""The memory of KafkaClusters that rule is bounded by namespace and survives unreadable text."""

from __future__ import annotations

import pytest

from kwitness.operator.model.ruling_clusters import Ruler, rulers_of, with_ruler
from kwitness.operator.model.store import Key


def test_a_namespace_has_room_for_64_and_leaves_that_of_others() -> None:
    rulers: dict[str, tuple[Ruler, ...]] = {}
    for number in range(64):
        data = with_ruler(rulers, f"id-{number}", Ruler(Key("a", f"c-{number}"), "u"))
        assert data is not None
        rulers = dict(rulers_of({"data": data}))

    assert with_ruler(rulers, "one-more", Ruler(Key("a", "x"), "u")) is None
    assert with_ruler(rulers, "id-3", Ruler(Key("a", "c-3"), "another")) is not None
    assert with_ruler(rulers, "of-others", Ruler(Key("b", "x"), "u")) is not None


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"id": 1}', '{"id": [["a"]]}', '{"id": {}}'])
def test_unreadable_text_is_as_none(text: str) -> None:
    assert rulers_of({"data": {"ruling.json": text}}) == {}


def test_the_first_gets_its_place_back_and_those_in_between_are_few() -> None:
    data: dict[str, str] | None = None
    for number in range(9):
        data = with_ruler(rulers_of({"data": data}), "id", Ruler(Key("a", f"c-{number}"), "u"))
    data = with_ruler(rulers_of({"data": data}), "id", Ruler(Key("a", "c-0"), "recreated"))

    in_turn = rulers_of({"data": data})["id"]
    assert in_turn[0] == Ruler(Key("a", "c-0"), "recreated")
    assert [ruler.key.name for ruler in in_turn] == ["c-0", "c-1", "c-2", "c-8"]
