"""From Kafka's message definitions to which release answers what: what is left out, and under which name."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kwitness.contracts.registry_entries import KafkaApi
from kwitness.devtools.wire import releases
from kwitness.devtools.wire.definitions import Api, Versions, broker_apis


def jar(folder: Path, *definitions: dict[str, Any]) -> Path:
    path = folder / "clients.jar"
    with zipfile.ZipFile(path, "w") as archive:
        for one in definitions:
            plain = {"apiKey": 7, "name": "MakeRequest", "type": "request", "validVersions": "0-3"}
            whole = {**plain, "listeners": ["broker"], **one}
            archive.writestr(f"common/message/{whole['name']}.json", json.dumps(whole))
    return path


@pytest.mark.parametrize(
    ("changes", "versions"),
    [
        ({}, Versions(0, 3)),
        ({"validVersions": "2-3", "latestVersionUnstable": True}, Versions(2, 2)),
        ({"listeners": ["controller", "zkBroker"]}, Versions(0, 3)),
        ({"listeners": None}, Versions(0, 3)),
        ({"listeners": ["controller"]}, None),
        ({"listeners": []}, None),
        ({"validVersions": "none"}, None),
        ({"validVersions": "0", "latestVersionUnstable": True}, None),
        ({"type": "response", "name": "MakeResponse"}, None),
    ],
)
def test_what_brokers_answer(tmp_path: Path, changes: dict[str, Any], versions: Versions | None) -> None:
    path = jar(tmp_path, changes)
    if "listeners" in changes and changes["listeners"] is None:
        with zipfile.ZipFile(path, "w") as archive:
            text = json.dumps({"apiKey": 7, "name": "MakeRequest", "type": "request", "validVersions": "0-3"})
            archive.writestr("common/message/MakeRequest.json", text)

    assert list(broker_apis(path)) == ([Api(7, "Make", versions)] if versions else [])


def test_an_api_has_the_name_that_the_newest_release_gives_it() -> None:
    older, newer = Api(74, "ListMetrics", Versions(0, 0)), Api(74, "ListConfig", Versions(0, 1))

    found = releases.apis({"4.0": [older], "4.1": [newer, Api(2, "Two", Versions(1, 1))]})

    assert found == (KafkaApi(2, "Two", {"4.1": (1, 1)}), KafkaApi(74, "ListConfig", {"4.0": (0, 0), "4.1": (0, 1)}))
    text = releases.table("2.4", ["4.0", "4.1"], found)
    assert 'KafkaRelease = Literal["4.0", "4.1"]' in text
    assert 'KafkaApi(74, "ListConfig", {"4.0": (0, 0), "4.1": (0, 1)}),' in text


def test_a_table_that_is_stale_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = jar(tmp_path, {})
    monkeypatch.setattr(releases, "definitions_jar", lambda _: path)

    assert releases.main(["--check"]) == 1
    assert "kafka_releases.py; run `make generate`" in capsys.readouterr().err
