"""Owners of clients, groups and topics, and the files of owners and rates."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import (
    KnownOwner,
    OwnerEntry,
    OwnerList,
    OwnerMatch,
    Owners,
    patterns_meet,
    text_fits,
)
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.yaml_file import MAX_BYTES, YamlFileError, read_yaml

from tests.contracts.owner_values import FILES, KNOWN, OWNERS, TIMES, first_fit, fits

TIMES_END_MS = 10**12
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


def owner_of(text: str, at_ms: int = TIMES_END_MS, **values: str) -> KnownOwner | None:
    return OwnerLookup(OwnerList.from_file(owners(text))).owner_of(values, at_ms)


def team_of(text: str, at_ms: int = TIMES_END_MS, **values: str) -> str | None:
    found = owner_of(text, at_ms, **values)
    return None if found is None else found.team


def test_the_first_entry_that_fits_in_everything_names_the_owner() -> None:
    everything = {"principal": "User:orders-1", "client_id": "orders-1", "namespace": "shop", "topic": "orders.new"}

    found = owner_of(FILE, **everything)

    assert found is not None
    assert (found.team, found.contact, found.source) == ("orders", "orders@example.com", "ConfigMap")
    assert team_of(FILE, **{**everything, "topic": "other"}) == "shop"
    assert team_of(FILE, topic="payments") == "payments"
    assert team_of(FILE, topic="payments.new") is None
    assert team_of(FILE) is None


def test_an_entry_by_group_matches_groups_and_clients_of_a_group() -> None:
    text = 'owners: [{team: readers, match: {group: "orders-*", namespace: shop}}, {team: a, match: {group: audit}}]'

    assert team_of(text, group="audit") == "a"
    assert team_of(text, group="audit", client_id="c") == "a"
    assert team_of(text, group="orders-1") is None
    assert team_of(text, group="orders-1", namespace="shop") == "readers"


NEW_TEAM = """
    owners:
    - {team: new, validFrom: %s, match: {topic: orders}}
    - {team: old, match: {topic: orders}}
"""


@pytest.mark.parametrize(
    "written",
    [
        "2026-01-31T00:00:00Z",
        '"2026-01-31T00:00:00Z"',
        "2026-01-31T01:00:00+01:00",
        '"2026-01-30T19:00-05:00"',
        "2026-01-31 00:00:00 Z",
        '"2026-01-31 00:00+00:00"',
    ],
)
def test_a_window_before_a_time_keeps_the_owner_of_then(written: str) -> None:
    moved_ms = 1_769_817_600_000

    teams = [team_of(NEW_TEAM % written, at_ms, topic="orders") for at_ms in (0, moved_ms - 1, moved_ms, moved_ms + 1)]

    assert teams == ["old", "old", "new", "new"]
    assert owners(NEW_TEAM % written).overlaps() == ()


@pytest.mark.parametrize(
    "written",
    ["2026-01-31", "2026-01-31T00:00:00", '"2026-01-31T00:00:00"', "2026-01-31 00:00:00", "soon", "1769817600", "[]"],
)
def test_a_time_without_an_offset_is_refused_with_line_and_remedy(written: str) -> None:
    with pytest.raises(YamlFileError) as caught:
        owners(NEW_TEAM % written)

    assert str(caught.value) == (
        "line 3, owners entry 1 validFrom: give a day, a time and its offset from UTC, such as 2026-01-31T00:00:00Z or "
        "2026-01-31T00:00+01:00"
    )


def test_a_namespace_gets_the_entries_that_name_it() -> None:
    def of_namespace(namespace: str, text: str = FILE) -> list[str]:
        return [entry.team for entry in OwnerList.from_file(owners(text)).of_namespace(namespace).owners]

    assert of_namespace("shop") == ["orders", "shop"]
    assert of_namespace("shop-eu") == []
    assert of_namespace("shop-eu", 'owners: [{team: all, match: {namespace: "shop*"}}]') == ["all"]


@given(OWNERS, KNOWN, TIMES)
def test_the_first_entry_that_fits_is_found(known: OwnerList, values: dict[str, str | None], at_ms: int) -> None:
    assert OwnerLookup(known).owner_of(values, at_ms) == first_fit(known, values, at_ms)


@given(OWNERS, KNOWN, TIMES, TIMES)
def test_owners_are_the_same_until_the_next_change(
    known: OwnerList, values: dict[str, str | None], at_ms: int, later_ms: int
) -> None:
    lookup = OwnerLookup(known)
    change_ms = lookup.next_change_ms(at_ms)

    if at_ms <= later_ms and (change_ms is None or later_ms < change_ms):
        assert lookup.owner_of(values, later_ms) == lookup.owner_of(values, at_ms)
    if change_ms is not None:
        assert change_ms > at_ms
        assert any(entry.valid_from and entry.valid_from.timestamp() * 1000 == change_ms for entry in known.owners)


@given(OWNERS)
def test_a_list_is_the_same_after_it_was_written_and_read(known: OwnerList) -> None:
    assert OwnerList.model_validate_json(known.model_dump_json(by_alias=True, exclude_none=True)) == known


@given(FILES, KNOWN)
def test_what_fits_two_teams_by_the_same_thing_is_an_overlap(known: Owners, values: dict[str, str | None]) -> None:
    fitting = [place for place, entry in enumerate(known.owners, 1) if fits(entry, values, TIMES_END_MS)]
    overlapping = {one.later for one in known.overlaps()}

    for place in fitting:
        earlier = [known.owners[one - 1] for one in fitting if one < place]
        entry = known.owners[place - 1]
        shared = [one for one in earlier if one.match.patterns().keys() & entry.match.patterns().keys()]
        if any(one.valid_from is None and (one.team, one.contact) != (entry.team, entry.contact) for one in shared):
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

    assert set(match["properties"]) == {"principal", "clientId", "namespace", "group", "topic"}
    assert match["minProperties"] == 1
    assert set(card["properties"]) == {"currency", *RateCard(currency="EUR").holes}
    assert all(not one["additionalProperties"] for one in (schema, card, match, schema["$defs"]["OwnerEntry"]))
