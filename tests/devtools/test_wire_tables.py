"""From Kafka's message definitions to tables: what is read, what is refused, which release is believed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kwitness.devtools.wire.definitions import NO_VERSION, Message, Versions, messages
from kwitness.devtools.wire.tables import merged, tables

COMMENT = "  // Definitions have comments\n"


def field(name: str, versions: str = "0+", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "string", "versions": versions, **more}


def read(folder: Path, valid: str, *fields: dict[str, Any], **more: Any) -> list[Message]:
    """Read a jar with one API, whose response has no field."""
    request = {"apiKey": 7, "name": "MakeRequest", "validVersions": valid, "flexibleVersions": "2+"}
    response = {**request, "name": "MakeResponse", "type": "response", "fields": []}
    jar = folder / "clients.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for one in ({**request, "type": "request", "fields": fields, **more}, response):
            archive.writestr(f"common/message/{one['name']}.json", COMMENT + json.dumps(one))
        archive.writestr("common/message/SomethingElse.json", "{}")
    return list(messages(jar))


@pytest.mark.parametrize(
    ("text", "versions"),
    [("none", NO_VERSION), ("3", Versions(3, 3)), ("3-5", Versions(3, 5)), ("3+", Versions(3, 32767))],
)
def test_versions_are_written_in_four_ways(text: str, versions: Versions) -> None:
    assert Versions.parse(text) == versions


def test_a_structure_that_is_shared_is_found_by_its_name(tmp_path: Path) -> None:
    shared = [{"name": "Node", "versions": "0+", "fields": [field("Host")]}]

    request, _ = read(tmp_path, "0-3", field("Nodes", type="[]Node"), commonStructs=shared)

    (nodes,) = request.fields
    assert nodes.is_array
    assert [one.name for one in nodes.fields] == ["Host"]


def test_a_version_that_kafka_calls_unstable_is_left_out_on_both_sides(tmp_path: Path) -> None:
    found = read(tmp_path, "0-3", field("Name"), latestVersionUnstable=True)

    assert [message.versions for message in found] == [Versions(0, 2), Versions(0, 2)]
    assert read(tmp_path, "0", field("Name"), latestVersionUnstable=True) == []


def test_an_api_of_which_only_the_number_is_left_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, "none", field("Name")) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (field("Name", padding=4), "MakeRequest.Name: unknown keys"),
        (field("Name", type="int128"), "MakeRequest.Name: type int128 is neither known nor"),
        (field("Name", type="[][]int8"), "MakeRequest.Name: type"),
        (field("Name", "0+", taggedVersions="2+", tag=0), "MakeRequest.Name: tagged in some of its versions"),
    ],
)
def test_what_might_change_bytes_and_is_not_known_is_refused(tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("[", r"\[")):
        read(tmp_path, "0-3", wrong)


def test_the_newer_release_is_believed_and_the_older_one_adds_what_was_removed(tmp_path: Path) -> None:
    older = read(tmp_path, "0-4", field("OldName", "0-1"), field("Name", "2+"))
    newer = read(tmp_path, "3-6", field("NewName", "3+"))

    requests = [message for message in merged(older, newer) if message.is_request]

    assert [message.versions for message in requests] == [Versions(0, 2), Versions(3, 6)]
    assert [[one.name for one in message.fields] for message in requests] == [["OldName", "Name"], ["NewName"]]


def test_an_api_that_was_removed_stays(tmp_path: Path) -> None:
    older = read(tmp_path, "0-4", field("Name"))

    assert [message.versions for message in merged(older, [])] == [Versions(0, 4), Versions(0, 4)]


def test_a_table_has_only_the_versions_of_its_layout(tmp_path: Path) -> None:
    found = read(tmp_path, "1-3", field("Gone", "0"), field("Name", "0+", nullableVersions="2+"))

    text = tables(found)

    assert "Gone" not in text
    assert "versions: Versions::new(1, 3), flexible: Versions::new(2, 3)" in text
    assert 'name: "Name", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(2, 3), tag: None' in text
