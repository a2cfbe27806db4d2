"""The memory of KafkaClusters that rule is bounded by namespace and survives unreadable text."""

from __future__ import annotations

import pytest

from kwitness.operator.model.ruling_clusters import Ruler, rulers_of, with_ruler
from kwitness.operator.model.store import Key


def test_a_namespace_has_room_for_64_and_leaves_that_of_others() -> None:
    rulers: dict[str, Ruler] = {}
    for number in range(64):
        data = with_ruler(rulers, f"id-{number}", Ruler(Key("a", f"c-{number}"), "u"))
        assert data is not None
        rulers = dict(rulers_of({"data": data}))

    assert with_ruler(rulers, "one-more", Ruler(Key("a", "x"), "u")) is None
    assert with_ruler(rulers, "id-3", Ruler(Key("a", "c-3"), "another")) is not None
    assert with_ruler(rulers, "of-others", Ruler(Key("b", "x"), "u")) is not None


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"id": 1}', '{"id": {"namespace": "a"}}', '{"id": []}'])
def test_unreadable_text_is_as_none(text: str) -> None:
    assert rulers_of({"data": {"ruling.json": text}}) == {}
