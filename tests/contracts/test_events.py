"""What observers send: the committed example is read, hostile heads are refused, and answers name their numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from kwitness.contracts.collector_config import SenderConfig
from kwitness.contracts.envelopes import EventsAnswer, EventsHead, ranges_of
from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.records import (
    ApiTraffic,
    ConnectionEvent,
    HeaderRow,
    PartitionTraffic,
    RequestEvent,
    TopicPresence,
    WindowSeal,
)

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (ROOT / "contracts/vectors/events_request.ndjson").read_bytes()
HEAD: dict[str, Any] = json.loads(EXAMPLE.partition(b"\n")[0])
MODELS: dict[tuple[str, str | None], type[BaseModel]] = {
    ("traffic", "partition"): PartitionTraffic,
    ("traffic", "api"): ApiTraffic,
    ("traffic", "presence"): TopicPresence,
    ("connections", "opened"): ConnectionEvent,
    ("requests", "request"): RequestEvent,
    ("requests", "response"): RequestEvent,
    ("headers", None): HeaderRow,
    ("seals", None): WindowSeal,
}


def test_the_example_is_a_head_and_the_rows_that_it_lists() -> None:
    head = EventsHead.model_validate_json(EXAMPLE.partition(b"\n")[0])
    lines = EXAMPLE.splitlines()[1:]

    assert [row.bytes for row in head.rows] == [len(line) for line in lines]
    seen = set()
    for row, line in zip(head.rows, lines, strict=True):
        value = json.loads(line)
        seen.add((row.topic, value.get("kind")))
        record = MODELS[row.topic, value.get("kind")].model_validate(value)
        assert json.loads(record.model_dump_json(by_alias=True, exclude_unset=True)) == value
        assert (value["event_source"], value["event_epoch"], value["event_seq"]) == (head.source, head.epoch, row.seq)
    assert seen == set(MODELS)


def test_the_example_says_nothing_that_the_contract_does_not_know() -> None:
    head = EventsHead.model_validate(HEAD)

    assert json.loads(head.model_dump_json(by_alias=True, exclude_unset=True)) == HEAD


def test_times_have_a_count_for_each_bound_and_one_beyond() -> None:
    bounds = own_metric("kafka_client_response_time_seconds").bounds

    assert [len(time["counts"]) for window in HEAD["totals"] for time in window["times"]] == [len(bounds) + 1]


def test_the_ledger_of_the_example_closes() -> None:
    ledger = EventsHead.model_validate(HEAD).state.ledger

    assert ledger.accepted == ledger.delivered + ledger.queued + sum(ledger.dropped.values())


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "kwitness.events/2"},
        {"source": "p"},
        {"epoch": -1},
        {"cluster_id": ""},
        {"observer": {**HEAD["observer"], "name": "Front"}},
        {"observer": {**HEAD["observer"], "mode": "transparent"}},
        {"reported_by": "somebody"},
        {"workload": {"kind": "Deployment"}},
        {"workload": {"kind": "Deploy ment", "name": "orders"}},
        {"workload": {"kind": "Deployment", "name": "Orders"}},
        {"state": {"relay_only_until_ms": -1}},
        {"settled": -1},
        {"rows": [{"seq": 1, "topic": "traffic", "bytes": 1}]},
        {"rows": [{"seq": 1, "topic": "traffic", "bytes": 2**21}]},
        {"rows": [{"seq": 1, "topic": "t" * 65, "bytes": 2}]},
        {"rows": [{"seq": 1, "topic": "traffic", "bytes": 2}] * 4_097},
        {"totals": [{"seq": 1, "times": [{"api": "Fetch", "counts": []}]}]},
        {"totals": [{"seq": 1, "traffic": [{"api": "Fetch", "records": -1}]}]},
        {"totals": [{"seq": 1, "traffic": [{"api": "Fetch", "topic": "t" * 250}]}]},
        {"totals": [{"seq": 1, "apis": [{"api": "F" * 65}]}]},
        {"totals": [{"seq": 1, "apis": [{"api": "Fetch", "errors": {str(code): 1 for code in range(257)}}]}]},
        {"state": {"by_state": {str(number): 1 for number in range(65)}}},
        {"state": {"ledger": {"accepted": -1}}},
    ],
    ids=lambda change: repr(change)[:60],
)
def test_a_head_with_impossible_values_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        EventsHead.model_validate({**HEAD, **change})


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((), ""),
        ((7,), "7"),
        ((1, 2, 3), "1-3"),
        ((5, 1, 2, 2, 4), "1-2,4-5"),
        ((*range(1, 341), 342), "1-340,342"),
    ],
)
def test_numbers_are_written_as_ranges(numbers: tuple[int, ...], text: str) -> None:
    assert ranges_of(numbers) == text
    assert EventsAnswer(collector="shop/main", replica=0, accepted=text).accepted == text


@pytest.mark.parametrize("text", ["1-", "-1", "1,,2", "a", "1-2-3", " 1"])
def test_an_answer_with_something_else_than_ranges_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="later"):
        EventsAnswer(collector="shop/main", replica=0, later=text)


def test_an_observer_is_believed_no_more_than_its_pod_unless_the_configuration_says_so() -> None:
    sender = SenderConfig(namespace="shop", service_account="default", source="observer")

    assert sender.reported_by == "pod"
