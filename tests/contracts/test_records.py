"""Values of the JSON topics: every topic has its shape, in JSON Schema, in Spark and on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from pyspark.sql.types import StructType

from kwitness.contracts.envelopes import ConnectionSnapshot
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.records import ConnectionEvent, InterceptionWindow, RequestEvent, TrafficWindow, WindowSeal
from kwitness.contracts.topics import TOPICS
from kwitness.jobs.generated import schemas

ROOT = Path(__file__).resolve().parents[2]
NUMBERED = {"event_source": "observer-1", "event_epoch": 1_760_000_000_000, "event_seq": 7, "client_id": "orders"}
WINDOW = {**NUMBERED, "window_start_ms": 1_760_000_010_000, "window_end_ms": 1_760_000_020_000}
EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    ConnectionEvent: {**NUMBERED, "kind": "closed", "connection_id": "c", "occurred_at_ms": 1, "duration_ms": 2},
    TrafficWindow: {
        **WINDOW,
        "api": "produce",
        "topic": "orders",
        "partition": 0,
        "requests": 3,
        "errors": {"0": 2, "6": 1},
        "offset_ranges": [{"first": 0, "last": 9}],
        "compression": {"zstd": 3},
        "response_time": {"buckets": {"345": 3}, "sum_us": 3000},
    },
    RequestEvent: {
        **NUMBERED,
        "kind": "request",
        "connection_id": "c",
        "connection_seq": 0,
        "occurred_at_ms": 1,
        "api_key": 0,
        "api_version": 12,
        "correlation_id": -1,
        "size_bytes": 100,
    },
    InterceptionWindow: {**WINDOW, "side": "consumer", "topic": "orders"},
    WindowSeal: {**WINDOW, "topic": "traffic", "first_seq": 0, "last_seq": 9, "count": 10},
}
SPARK: dict[type[BaseModel], StructType] = {
    ConnectionSnapshot: schemas.CONNECTION_SNAPSHOT,
    ConnectionEvent: schemas.CONNECTION_EVENT,
    TrafficWindow: schemas.TRAFFIC_WINDOW,
    RequestEvent: schemas.REQUEST_EVENT,
    InterceptionWindow: schemas.INTERCEPTION_WINDOW,
    WindowSeal: schemas.WINDOW_SEAL,
}


def named(model: type[BaseModel]) -> str:
    return model.__name__


@pytest.mark.parametrize("model", EXAMPLES, ids=named)
def test_a_record_is_read_and_written_without_what_is_not_known(model: type[BaseModel]) -> None:
    record = model.model_validate({**EXAMPLES[model], "newer": {"key": 1}})

    text = record.model_dump_json(by_alias=True, exclude_none=True)

    assert model.model_validate_json(text) == record
    assert "newer" not in text
    assert "principal" not in text


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (TrafficWindow, {"schema": "kwitness.traffic/2"}),
        (TrafficWindow, {"topic": "t" * 250}),
        (TrafficWindow, {"partition": -1}),
        (TrafficWindow, {"errors": {"0": -1}}),
        (TrafficWindow, {"api": "metadata"}),
        (TrafficWindow, {"response_time": {"relative_error": 1}}),
        (TrafficWindow, {"offset_ranges": [{"first": 0, "last": 2**63}]}),
        (ConnectionEvent, {"kind": "snapshot"}),
        (RequestEvent, {"api_key": 2**15}),
        (WindowSeal, {"event_seq": -1}),
        (WindowSeal, {"event_source": ""}),
    ],
)
def test_an_impossible_value_is_refused(model: type[BaseModel], change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(change))):
        model.model_validate({**EXAMPLES[model], **change})


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic.value == "JSON"], ids=lambda topic: topic.name)
def test_every_json_topic_has_its_schema(topic: Any) -> None:
    schema = json.loads((ROOT / f"contracts/schemas/{topic.schema}.v{topic.version}.json").read_text())
    kinds = [schema["$defs"][one["$ref"].rpartition("/")[2]] for one in schema.get("oneOf", [])] or [schema]

    assert schema["$id"].endswith(f"/{topic.schema}/{topic.version}")
    for kind in kinds:
        assert kind["properties"]["schema"]["const"] == f"{topic.schema}/{topic.version}"
        assert {"event_source", "event_epoch", "event_seq"} <= set(kind["required"])


@pytest.mark.parametrize("model", SPARK, ids=named)
def test_spark_has_the_keys_of_the_record(model: type[BaseModel]) -> None:
    assert SPARK[model].fieldNames() == list(model.model_json_schema(by_alias=True)["properties"])


def test_spark_has_maps_lists_and_parts() -> None:
    types = {field.name: field.dataType.simpleString() for field in schemas.TRAFFIC_WINDOW}

    assert types["errors"] == "map<string,bigint>"
    assert types["first_offset"] == "bigint"
    assert types["offset_ranges"] == "array<struct<first:bigint,last:bigint>>"
    assert types["response_time"] == (
        "struct<relative_error:double,zeros:bigint,buckets:map<string,bigint>,sum_us:bigint>"
    )


@pytest.mark.parametrize("model", SPARK, ids=named)
def test_every_key_has_its_line_on_the_page(model: type[BaseModel]) -> None:
    page = (ROOT / "docs/reference/topics.md").read_text()
    section = page.partition(f"\n## {model.__name__} (")[2].partition("\n## ")[0]
    own = set(model.model_json_schema(by_alias=True)["properties"]) - set(IDENTITY_KEYS)

    assert [key for key in sorted(own) if f"| `{key}` |" not in section] == []
