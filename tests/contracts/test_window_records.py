"""What an observer makes of a window is what the contracts say: services/recording writes the same example."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from kwitness.contracts.envelopes.events import WindowTotals
from kwitness.contracts.records import (
    ApiTraffic,
    ConnectionEvent,
    PartitionTraffic,
    RequestEvent,
    TopicPresence,
    WindowSeal,
    bucket_of,
)

from tests.vectors import vectors

RECORDS = [*vectors("window_records", "records"), *vectors("request_records", "records")]
MODELS: dict[tuple[str, str | None], type[BaseModel]] = {
    ("traffic", "partition"): PartitionTraffic,
    ("traffic", "api"): ApiTraffic,
    ("traffic", "presence"): TopicPresence,
    ("connections", "opened"): ConnectionEvent,
    ("connections", "closed"): ConnectionEvent,
    ("requests", "request"): RequestEvent,
    ("requests", "response"): RequestEvent,
    ("seals", None): WindowSeal,
}


@pytest.mark.parametrize("example", RECORDS, ids=lambda example: f"{example['topic']} {example['record']['event_seq']}")
def test_a_record_says_nothing_that_the_contract_does_not_know(example: dict[str, Any]) -> None:
    record = MODELS[example["topic"], example["record"].get("kind")].model_validate(example["record"])

    assert json.loads(record.model_dump_json(by_alias=True, exclude_unset=True)) == example["record"]


def test_every_kind_of_record_has_an_example() -> None:
    assert {(example["topic"], example["record"].get("kind")) for example in RECORDS} == set(MODELS)


def test_durations_are_in_the_buckets_of_the_table() -> None:
    rows = [example["record"] for example in RECORDS if example["record"].get("kind") == "api"]
    sketches = [row[name] for row in rows for name in ("response_time", "waited") if row[name]["buckets"]]

    assert sketches
    assert [list(sketch["buckets"]) for sketch in sketches] == [[str(bucket_of(s["sum_us"]))] for s in sketches]


def test_totals_say_nothing_that_the_contract_does_not_know() -> None:
    for example in vectors("window_records", "totals"):
        totals = WindowTotals.model_validate(example)

        assert json.loads(totals.model_dump_json(by_alias=True, exclude_unset=True)) == example
