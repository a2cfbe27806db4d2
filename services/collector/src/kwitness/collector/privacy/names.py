"""Under which names attributes tell an identity key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kwitness.contracts.identity import IdentityKey
from kwitness.contracts.semantic_attributes import NAMES_READ


def attribute_names(key: IdentityKey) -> frozenset[str]:
    """Return the key's names in OpenTelemetry's conventions, and the key itself in each of three spellings."""
    return frozenset({*NAMES_READ.get(key, ()), key, key.replace("_", "-"), key.replace("_", ".")})


def keys_by_name(keys: Iterable[IdentityKey]) -> Mapping[str, IdentityKey]:
    """Return the keys by their attributes' names."""
    return {name: key for key in keys for name in attribute_names(key)}
