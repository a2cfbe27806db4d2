"""What interceptors send: the committed example is read, and hostile heads are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from kwitness.contracts.envelopes import InterceptorsHead
from kwitness.contracts.header_rules import HEADER_PROBLEMS
from kwitness.contracts.records import (
    ClientInterceptions,
    HeaderRow,
    KeyInterceptions,
    TopicInterceptions,
    WindowSeal,
)

from tests.vectors import vectors

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (ROOT / "contracts/vectors/interceptor_events_request.ndjson").read_bytes()
HEAD: dict[str, Any] = json.loads(EXAMPLE.partition(b"\n")[0])
MODELS: dict[tuple[str, str | None], type[BaseModel]] = {
    ("interceptions", "topic"): TopicInterceptions,
    ("interceptions", "keys"): KeyInterceptions,
    ("interceptions", "client"): ClientInterceptions,
    ("headers", None): HeaderRow,
    ("seals", None): WindowSeal,
}


def test_the_example_is_a_head_and_the_rows_that_it_lists() -> None:
    head = InterceptorsHead.model_validate_json(EXAMPLE.partition(b"\n")[0])
    lines = EXAMPLE.splitlines()[1:]

    assert [row.bytes for row in head.rows] == [len(line) for line in lines]
    seen = set()
    for row, line in zip(head.rows, lines, strict=True):
        value = json.loads(line)
        seen.add((row.topic, value.get("kind")))
        record = MODELS[row.topic, value.get("kind")].model_validate(value)
        assert json.loads(record.model_dump_json(by_alias=True, exclude_unset=True)) == value
        assert (value["event_source"], value["event_epoch"], value["event_seq"]) == (head.source, head.epoch, row.seq)
        assert row.key in {value.get("instance"), head.source}
    assert seen == set(MODELS)
    assert head.source.endswith(f"/{head.reporter}")


def test_the_example_says_nothing_that_the_contract_does_not_know() -> None:
    head = InterceptorsHead.model_validate(HEAD)

    assert json.loads(head.model_dump_json(by_alias=True, exclude_unset=True)) == HEAD


def test_the_totals_of_the_example_are_what_its_rows_say() -> None:
    rows = [json.loads(line) for line in EXAMPLE.splitlines()[1:]]
    [totals] = InterceptorsHead.model_validate(HEAD).totals

    for field in ("sent", "acknowledged", "consumed", "commits"):
        assert sum(getattr(one, field) for one in totals.topics) == sum(row.get(field, 0) for row in rows)
    for measure, field in (("acknowledgement", "acknowledgement_time"), ("end_to_end", "end_to_end_latency")):
        [latency] = [one for one in totals.latencies if one.measure == measure]
        [sketch] = [row[field] for row in rows if field in row]
        assert sum(latency.counts) == sum(sketch["buckets"].values())
        assert latency.sum_us == sketch["sum_us"]


def test_the_headers_of_the_example_are_what_its_rows_say() -> None:
    rows = {
        row["key"]: row for row in map(json.loads, EXAMPLE.splitlines()[1:]) if row["schema"] == "kwitness.headers/1"
    }
    [totals] = InterceptorsHead.model_validate(HEAD).totals

    assert [one.key for one in totals.headers] == list(rows)
    for one in totals.headers:
        row = HeaderRow.model_validate(rows[one.key])
        assert (one.headers, one.bytes, one.removed, one.registered) == (
            row.headers,
            row.bytes,
            row.removed,
            row.registered,
        )
        unregistered = {} if row.registered else {"unregistered": row.headers}
        wrong = {problem: getattr(row, problem) for problem in HEADER_PROBLEMS if problem != "unregistered"}
        assert one.problems == {**unregistered, **{problem: count for problem, count in wrong.items() if count}}


def test_a_distribution_has_a_count_for_each_bound_and_one_beyond() -> None:
    [totals] = InterceptorsHead.model_validate(HEAD).totals
    latency, size = (
        json.loads((ROOT / "contracts/vectors/interception_aggregates.json").read_text())[name]
        for name in ("latency_bounds_us", "size_bounds_bytes")
    )

    assert {len(one.counts) for one in totals.latencies} == {len(latency) + 1}
    assert {len(one.counts) for one in totals.sizes} == {len(size) + 1}


def test_the_image_of_the_example_is_that_of_the_vectors() -> None:
    images = {one["image"] for one in vectors("interception_aggregates", "distinct_keys")}

    assert {json.loads(line)["sketch"] for line in EXAMPLE.splitlines()[1:] if b'"keys"' in line} <= images


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "kwitness.interceptor_events/2"},
        {"source": "p"},
        {"reporter": "9F86D081884C7D65"},
        {"reporter": "1"},
        {"runtime": "ruby"},
        {"process_id": 0},
        {"attributes": {f"a{number}": "x" for number in range(17)}},
        {"attributes": {"Team": "shop"}},
        {"attributes": {"team": "x" * 64}},
        {"profile": {"namespace": "shop"}},
        {"rows": [{"seq": 1, "topic": "interceptions", "bytes": 1}]},
        {"totals": [{"seq": 1, "latencies": [{"measure": "end_to_end", "counts": []}]}]},
        {"totals": [{"seq": 1, "latencies": [{"measure": "queueing", "counts": [1]}]}]},
        {"totals": [{"seq": 1, "topics": [{"sent": -1}]}]},
        {"totals": [{"seq": 1, "topics": [{"failures": {str(one): 1 for one in range(65)}}]}]},
        {"totals": [{"seq": 1, "keys": [{"side": "producer", "distinct": 1, "window_ms": 1}]}]},
        {"totals": [{"seq": 1, "hooks": [{"interceptor": "a", "hook": "on_enqueue"}]}]},
        {"totals": [{"seq": 1, "headers": [{"side": "producer", "key": "k" * 129}]}]},
        {"totals": [{"seq": 1, "headers": [{"side": "broker", "key": "k"}]}]},
        {"totals": [{"seq": 1, "headers": [{"side": "producer", "problems": {"p" * 33: 1}}]}]},
        {"totals": [{"seq": 1, "headers": [{"side": "producer"}] * 4_097}]},
        {"state": {"unusable": {"mask": "x" * 257}}},
        {"state": {"clients": [{"side": "producer", "clients": 1}] * 3}},
    ],
    ids=lambda change: repr(change)[:60],
)
def test_a_head_with_impossible_values_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        InterceptorsHead.model_validate({**HEAD, **change})
