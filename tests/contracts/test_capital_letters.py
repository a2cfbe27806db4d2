"""Enum values of resources begin with a capital letter."""

from __future__ import annotations

from typing import Any

from pydantic.alias_generators import to_camel

from kwitness.contracts.generate.crds import crd
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources import KINDS

KAFKAS = {"none", "plain", "scram-sha-256", "scram-sha-512", "mtls"}
IDENTITY = {*IDENTITY_KEYS, *map(to_camel, IDENTITY_KEYS), "clientSourceAddress", "clientSourcePort", "namespace"}


def enums(node: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(node, dict):
        found = [(path, value) for value in node.get("enum", ()) if isinstance(value, str)]
        return found + [one for key, value in node.items() for one in enums(value, f"{path}.{key}")]
    return [one for item in node for one in enums(item, path)] if isinstance(node, list) else []


def test_every_enum_value_of_ours_begins_with_a_capital() -> None:
    values = [one for info in KINDS for one in enums(crd(info), info.kind)]

    assert [
        one for one in values if not (one[1][0].isupper() or one[1][0].isdigit()) and one[1] not in KAFKAS | IDENTITY
    ] == []
