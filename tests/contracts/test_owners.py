"""Whose a client or topic is, and the files that say so and what it costs."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.owners import OWNED_BY, OwnerEntry, OwnerMatch, Owners, patterns_meet, text_fits
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.yaml_file import MAX_BYTES, YamlFileError, read_yaml

from tests.contracts.owner_values import OWNERS, TEXTS

SCHEMAS = Path(__file__).resolve().parents[2] / "contracts/schemas"
FILE = """
    owners:
    - team: orders
      contact: orders@example.com
      match: {principal: "User:orders*", clientId: "orders-*", namespace: shop, topic: "orders.*"}
    - {team: shop, match: {namespace: shop}}
    - {team: payments, match: {topic: payments}}
"""


def owners(text: str = FILE) -> Owners:
    return read_yaml(Owners, textwrap.dedent(text))


def test_the_first_entry_that_fits_in_everything_says_whose_it_is() -> None:
    known = owners()
    everything = {"principal": "User:orders-1", "client_id": "orders-1", "namespace": "shop", "topic": "orders.new"}

    found = known.owner_of(**everything)

    assert found is not None
    assert (found.team, found.contact) == ("orders", "orders@example.com")
    assert known.owner_of(**{**everything, "topic": "other"}).team == "shop"
    assert known.owner_of(topic="payments").team == "payments"
    assert known.owner_of(topic="payments.new") is None
    assert known.owner_of() is None


def test_a_namespace_gets_the_entries_that_name_it() -> None:
    assert [entry.team for entry in owners().of_namespace("shop").owners] == ["orders", "shop"]
    assert owners().of_namespace("shop-eu").owners == ()
    assert owners('owners: [{team: all, match: {namespace: "shop*"}}]').of_namespace("shop-eu").owners != ()


@given(OWNERS, st.tuples(TEXTS, TEXTS, TEXTS, TEXTS))
def test_an_entry_takes_nothing_from_an_earlier_one(known: Owners, values: tuple[str | None, ...]) -> None:
    asked = dict(zip(OWNED_BY, values, strict=True))

    fitting = [
        entry
        for entry in known.owners
        if all(text_fits(pattern, asked[name]) for name, pattern in entry.match.patterns().items())
    ]

    assert known.owner_of(**asked) == (fitting[0] if fitting else None)


@given(OWNERS, st.tuples(TEXTS, TEXTS, TEXTS, TEXTS))
def test_what_fits_two_teams_by_the_same_thing_is_an_overlap(known: Owners, values: tuple[str | None, ...]) -> None:
    asked = dict(zip(OWNED_BY, values, strict=True))
    fits = [
        place
        for place, entry in enumerate(known.owners, 1)
        if all(text_fits(pattern, asked[name]) for name, pattern in entry.match.patterns().items())
    ]
    overlapping = {one.later for one in known.overlaps()}

    for place in fits:
        earlier = [known.owners[one - 1] for one in fits if one < place]
        entry = known.owners[place - 1]
        shared = [one for one in earlier if one.match.patterns().keys() & entry.match.patterns().keys()]
        if any((one.team, one.contact) != (entry.team, entry.contact) for one in shared):
            assert place in overlapping


@given(st.text("ab*", min_size=1), st.text("ab*", min_size=1))
def test_patterns_meet_where_some_text_fits_both(one: str, other: str) -> None:
    candidates = {pattern.removesuffix("*") for pattern in (one, other)} | {one, other}

    assert patterns_meet(one, other) == any(text_fits(one, text) and text_fits(other, text) for text in candidates)
    assert patterns_meet(one, other) == patterns_meet(other, one)


def test_entries_of_one_team_and_entries_that_match_different_things_are_no_overlap() -> None:
    def entry(team: str, **match: str) -> OwnerEntry:
        return OwnerEntry(team=team, match=OwnerMatch(**match))

    found = Owners(
        owners=(
            entry("a", client_id="a-*"),
            entry("a", client_id="a-1"),
            entry("b", topic="b.*"),
            entry("b", client_id="a-b*", topic="b.*"),
            entry("c", client_id="a-*", namespace="c"),
        )
    ).overlaps()

    assert found == ((1, 4), (1, 5))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("owners:\n- team: a\n  match: {}", "line 3, owners entry 1 match: says nothing: give at least one of"),
        ("owners:\n- team: a\n  match: {client: x}", "line 3, owners entry 1 match client: no such field"),
        ("owners:\n- team: a\n  match:\n    topic: 7", "line 4, owners entry 1 match topic: Input should be a valid"),
        ("owners:\n- team: a\n- match: {topic: x}", "line 2, owners entry 1 match: is missing: add it; line 3, owners"),
        ("owners:\n- {team: a, team: b, match: {topic: x}}", "line 2: team is there twice: remove one"),
        ("owners: &a\n- *a", "line 1: an anchor is used again"),
        ("owners: [", "line 2: did not find"),
        ("owners: {a: 2024-99-99}", "no YAML: a character or a value"),
        ("- team: a", "not a mapping"),
        ("", "not a mapping"),
        (f"# {'x' * MAX_BYTES}", "longer than 256 KiB"),
        ("a: \x07", "character"),
        ("[" * 5000, ""),
    ],
)
def test_a_mistake_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(YamlFileError) as caught:
        read_yaml(Owners, text)

    assert said in str(caught.value)


def test_a_rate_card_has_whole_micro_units_and_holes() -> None:
    card = read_yaml(RateCard, "currency: EUR\nbytesInPerGiB: 12000\nstoredPerGiBMonth: 0\n")

    assert card.holes == ("bytesOutPerGiB", "requestsPerMillion")
    assert card.bytes_in_per_gib == 12_000
    for text in ("currency: EUR\nbytesInPerGiB: 0.5", "currency: EUR\nbytesInPerGiB: -1", "currency: Euro", "{}"):
        with pytest.raises(YamlFileError, match=r"line [12]"):
            read_yaml(RateCard, text)


def test_the_published_schemas_have_the_names_of_the_files_and_nothing_else() -> None:
    schema = json.loads((SCHEMAS / "kwitness.owners.v1.json").read_text())
    card = json.loads((SCHEMAS / "kwitness.rate_card.v1.json").read_text())
    match = schema["$defs"]["OwnerMatch"]

    assert set(match["properties"]) == {"principal", "clientId", "namespace", "topic"}
    assert match["minProperties"] == 1
    assert set(card["properties"]) == {"currency", *RateCard(currency="EUR").holes}
    assert all(not one["additionalProperties"] for one in (schema, card, match, schema["$defs"]["OwnerEntry"]))
