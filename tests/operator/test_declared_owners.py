"""Owners that metadata names, and the list of all sources, within their bounds."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.contracts.owners import KnownOwner, OwnerList, OwnerMatch, OwnerSource
from kwitness.operator.model.combined_owners import MOST_BYTES, combined_owners
from kwitness.operator.model.config_files import OwnersInFile
from kwitness.operator.model.declared_owners import MOST_ENTRIES, MOST_READ, DeclaredEntries, DeclaredReading

TEAM, CONTACT = "example.com/team", "example.com/contact"


def body(name: str, annotations: dict[str, str] | None = None, labels: dict[str, str] | None = None) -> dict[str, Any]:
    return {"metadata": {"name": name, "annotations": annotations, "labels": labels}}


def read(source: OwnerSource, *bodies: dict[str, Any]) -> DeclaredEntries:
    reading = DeclaredReading(source, TEAM, CONTACT)
    for described in bodies:
        reading.add(described)
    return reading.entries()


def entry(source: OwnerSource, team: str, **match: str) -> KnownOwner:
    return KnownOwner(team=team, match=OwnerMatch(**match), source=source)


def test_an_annotation_names_the_team_with_every_printable_character_and_else_a_label() -> None:
    printable = string.printable.strip()
    found = read(
        "KafkaUser",
        body("annotated", {TEAM: f" {printable} ", CONTACT: printable[::-1]}, {TEAM: "label"}),
        body("labelled", {TEAM: " "}, {TEAM: "label", CONTACT: "c"}),
        body("nobodys", None, {CONTACT: "c"}),
        body("bare"),
    )

    assert [(owner.team, owner.contact) for owner in found.entries] == [
        (printable, printable[::-1].strip()),
        ("label", "c"),
    ]
    assert found.is_complete
    assert OwnerList.model_validate_json(OwnerList(owners=found.entries).model_dump_json()).owners == found.entries


def test_what_cannot_be_used_is_counted_and_the_rest_is_read() -> None:
    found = read(
        "KafkaTopic",
        {**body("claims-all", {TEAM: "greedy"}), "spec": {"topicName": "orders*"}},
        {**body("no-name", {TEAM: "a"}), "spec": {"topicName": "x y"}},
        body("long-team", {TEAM: "t" * 129}),
        body("long-contact", {TEAM: "t", CONTACT: "c" * 257}),
        body("orders", {TEAM: "orders"}),
    )

    assert (found.unusable, found.example) == (4, "claims-all")
    assert [owner.match.topic for owner in found.entries] == ["orders"]


@pytest.mark.parametrize("named", [True, False])
def test_no_more_objects_are_read_than_the_bound(named: bool) -> None:
    reading, most = DeclaredReading("KafkaUser", TEAM, CONTACT), MOST_ENTRIES if named else MOST_READ
    user = body("user", {TEAM: "a"} if named else None)

    assert all(reading.add(user) for _ in range(most))
    assert reading.entries().is_complete
    assert not reading.add(user)
    assert not reading.entries().is_complete
    assert len(reading.entries().entries) == (MOST_ENTRIES if named else 0)


def test_the_list_ends_with_the_last_entry_that_finds_room() -> None:
    short = DeclaredEntries(tuple(entry("KafkaUser", "t", principal=f"User:{number}") for number in range(6_000)))
    many = DeclaredEntries(tuple(entry("KafkaTopic", "t", topic=str(number)) for number in range(6_000)))
    long = DeclaredEntries(tuple(entry("KafkaTopic", "t" * 100, topic=f"{number:0>249}") for number in range(6_000)))

    by_number, by_bytes = combined_owners(None, (short, many)), combined_owners(None, (short, long))

    for found in (by_number, by_bytes):
        text = found.owners.model_dump_json(by_alias=True, exclude_none=True)
        assert len(text.encode()) <= MOST_BYTES + 100
        assert len(found.owners.owners) <= MOST_ENTRIES
        assert len(found.owners.owners) + found.left_out == 12_000
        assert found.owners.owners[:6_000] == short.entries
    assert len(by_bytes.owners.owners) < len(by_number.owners.owners) == MOST_ENTRIES


SOURCES = st.lists(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=4).map(
        lambda named: DeclaredEntries(tuple(entry("KafkaUser", team, principal=name) for name, team in named))
    ),
    max_size=3,
)


@given(st.lists(st.sampled_from("abc"), max_size=2), SOURCES)
def test_the_file_comes_first_and_an_object_counts_once(names: list[str], declared: list[DeclaredEntries]) -> None:
    own = tuple(entry("ConfigMap", "file", principal=name) for name in names)
    file = OwnersInFile(OwnerList(owners=own), None)

    found = combined_owners(file, tuple(declared))

    every = [owner for source in declared for owner in source.entries]
    first = {owner.match.principal: owner for owner in reversed(every)}
    assert found.owners.owners[: len(own)] == own
    assert sorted(found.owners.owners[len(own) :], key=str) == sorted(first.values(), key=str)
    differing = any(first[owner.match.principal].team != owner.team for owner in every)
    assert (found.contradiction is not None) == differing
    assert found.left_out == 0
