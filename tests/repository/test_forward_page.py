"""The page on forwards: attributes are those that are written."""

from __future__ import annotations

import re
from pathlib import Path

from kwitness.contracts.semantic_attributes import SEMANTIC_ATTRIBUTES

PAGE = (Path(__file__).resolve().parents[2] / "docs/guides/forward.md").read_text()


def test_semantic_attributes_are_those_that_are_written_of_the_keys_in_that_order() -> None:
    table = PAGE.partition("| Attribute | Value |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`([^`]+)`", line) for line in table.splitlines()[2:]]

    shown = {name: keys for name, *keys in rows}
    assert shown == {
        "messaging.system": ["kafka"],
        **{attribute.name: list(attribute.written) for attribute in SEMANTIC_ATTRIBUTES if attribute.written},
    }
