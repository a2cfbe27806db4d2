from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.allowed_hosts import (
    AllowedHosts,
    CredentialHosts,
    MalformedHostsError,
    canonical_address,
    join_address,
)

from tests.vectors import vectors


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "addresses"))
def test_an_address_has_one_spelling_or_is_none(vector: dict[str, Any]) -> None:
    assert canonical_address(vector["address"]) == vector["canonical"]


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "lists"))
def test_a_list_is_read_entirely_or_refused(vector: dict[str, Any]) -> None:
    if vector["entries"] is None:
        with pytest.raises(MalformedHostsError, match=r"entry \d of the key hosts"):
            AllowedHosts.parse(vector["text"])
    else:
        assert AllowedHosts.parse(vector["text"]).entries == tuple(vector["entries"])


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "verdicts"))
def test_a_credential_goes_to_listed_hosts_only(vector: dict[str, Any]) -> None:
    try:
        allowed = AllowedHosts.parse(vector["hosts"]).allows(vector["address"])
    except MalformedHostsError:
        allowed = False
    assert allowed is vector["allowed"]


@pytest.mark.parametrize("vector", vectors("allowed_hosts", "credentials"))
def test_the_secret_and_the_installation_must_both_allow_where_both_say_something(vector: dict[str, Any]) -> None:
    try:
        allowed = CredentialHosts.of(vector["secret"], vector["installation"]).allows(vector["address"])
    except MalformedHostsError:
        allowed = False
    assert allowed is vector["allowed"]


def test_the_message_tells_the_place_and_not_the_text() -> None:
    with pytest.raises(MalformedHostsError, match="entry 2") as caught:
        AllowedHosts.parse("a:1,, canary")
    assert "canary" not in str(caught.value)


@given(st.text(alphabet="aZ09.:[]*-_ \t\n,%", max_size=24))
def test_the_spelling_of_a_spelling_is_the_same(text: str) -> None:
    canonical = canonical_address(text)
    assert canonical is None or canonical_address(canonical) == canonical


def test_a_host_and_a_port_make_an_address() -> None:
    assert [join_address("kafka", 1), join_address("::1", 2)] == ["kafka:1", "[::1]:2"]
