"""Checks which rows a reader may see by examples that other programs can run too."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from pydantic import ValidationError

from kwitness.contracts.reader_rights import MAX_SCOPE_ENTRIES, ReaderScope, RowFacts, may_see

from tests.vectors import vectors


@pytest.mark.parametrize("example", vectors("reader_rights", "cases"), ids=lambda example: example["name"])
def test_a_row_is_seen_by_its_proven_namespace_or_its_owners_alone(example: dict[str, Any]) -> None:
    scope = None if example["scope"] is None else ReaderScope.model_validate(example["scope"])

    assert may_see(RowFacts(**example["row"]), scope) is example["seen"]


@pytest.mark.parametrize("namespace", ["", "Shop", "-shop", "shop-", "sh*op", "**", "shop/x", "s" * 65])
def test_what_is_no_namespace_and_no_prefix_of_one_is_refused(namespace: str) -> None:
    with pytest.raises(ValidationError):
        ReaderScope(namespaces=(namespace,))


@pytest.mark.parametrize("namespace", ["*", "s*", "shop-*", "shop", "0-a", "s" * 63])
def test_namespaces_and_their_prefixes_are_patterns(namespace: str) -> None:
    assert ReaderScope(namespaces=(namespace,)).namespaces == (namespace,)


def test_a_scope_has_no_more_entries_than_a_request_has_headers_for() -> None:
    most = tuple(map(str, range(MAX_SCOPE_ENTRIES)))

    assert ReaderScope(namespaces=most, owners=most).owners == most
    for field in ("namespaces", "owners"):
        with pytest.raises(ValidationError, match="at most 32 items"):
            ReaderScope.model_validate({field: (*most, "more")})


def test_a_scope_of_a_program_may_have_more_namespaces_than_headers_have_entries() -> None:
    class Many(NamedTuple):
        namespaces: frozenset[str]
        owners: tuple[str, ...] = ()

    scope = Many(frozenset(f"n{number}" for number in range(10 * MAX_SCOPE_ENTRIES)))

    assert may_see(RowFacts("n319"), scope)
    assert not may_see(RowFacts("n320"), scope)
    assert not may_see(RowFacts(None, "n1"), scope)
