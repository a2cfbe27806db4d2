"""Values of the JSON topics: every topic has its shape, in JSON Schema, in Spark and on the page."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from pyspark.sql.types import StructType

from kwitness.contracts.envelopes import ConnectionSnapshot
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.records import (
    SKETCH_BOUNDS,
    ApiTraffic,
    ClientInterceptions,
    ConnectionEvent,
    HeaderRow,
    KeyInterceptions,
    PartitionTraffic,
    RequestEvent,
    TopicInterceptions,
    TopicPresence,
    WindowSeal,
    bucket_of,
)
from kwitness.contracts.topics import TOPICS
from kwitness.jobs.generated import schemas

ROOT = Path(__file__).resolve().parents[2]
NUMBERED = {"event_source": "observer-1", "event_epoch": 1_760_000_000_000, "event_seq": 7, "client_id": "orders"}
INTERCEPTED = {"instance": "9f86d081884c7d65/1", "runtime": "java", "side": "producer"}
OBSERVED = {"reported_by": "gateway", "observer_mode": "gateway"}
WINDOW = {**NUMBERED, "window_start_ms": 1_760_000_010_000, "window_end_ms": 1_760_000_020_000}
EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    ConnectionEvent: {
        **NUMBERED,
        **OBSERVED,
        "kind": "closed",
        "connection_id": "c",
        "occurred_at_ms": 1,
        "duration_ms": 2,
        "end": "client",
    },
    PartitionTraffic: {
        **WINDOW,
        **OBSERVED,
        "kind": "partition",
        "api": "Produce",
        "topic": "orders",
        "topic_id": "Wq0jJfKhQ5K9dq1mC2v0Zw",
        "partition": 0,
        "requests": 3,
        "errors": {"0": 2, "6": 1},
        "offset_ranges": [{"first": 0, "last": 9}],
        "compression": {"zstd": 3},
    },
    ApiTraffic: {
        **WINDOW,
        **OBSERVED,
        "kind": "api",
        "api": "Metadata",
        "api_version": 13,
        "requests": 3,
        "unread": {"UnknownVersion": 1},
        "response_time": {"buckets": {"345": 3}, "sum_us": 3000},
    },
    TopicPresence: {**WINDOW, **OBSERVED, "kind": "presence", "topic": "orders", "partitions": 6},
    RequestEvent: {
        **NUMBERED,
        **OBSERVED,
        "kind": "request",
        "connection_id": "c",
        "connection_seq": 0,
        "occurred_at_ms": 1,
        "api_key": 0,
        "api": "Produce",
        "api_version": 12,
        "correlation_id": -1,
        "size_bytes": 100,
        "topics": ["orders"],
        "partitions": [{"topic": "orders", "partition": 0, "bytes": 123, "records": 4}],
        "fields": {"Acks": -1, "TopicData": [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": None}]}]},
    },
    TopicInterceptions: {
        **WINDOW,
        **INTERCEPTED,
        "kind": "topic",
        "topic": "orders",
        "failures": {"MESSAGE_TOO_LARGE": 1},
        "record_sizes": {"buckets": {"98": 32}, "sum_bytes": 3296},
        "partitions": [{"partition": 0, "acknowledged": 10, "offset_ranges": [{"first": 0, "last": 9}]}],
    },
    KeyInterceptions: {**WINDOW, **INTERCEPTED, "kind": "keys", "topic": "orders", "records": 3, "sketch": "AAAA"},
    ClientInterceptions: {
        **WINDOW,
        **INTERCEPTED,
        "kind": "client",
        "attributes": {"team": "shop"},
        "hooks": [{"interceptor": "audit", "hook": "on_send", "calls": 3}],
        "statistics": {"queued_records": 0},
    },
    HeaderRow: {
        **WINDOW,
        "instance": INTERCEPTED["instance"],
        "seen_by": "java",
        "side": "producer",
        "topic": "orders",
        "key": "tenant",
        "registered": True,
        "headers": 3,
        "values": [{"value": "north", "records": 3}],
    },
    WindowSeal: {**WINDOW, **OBSERVED, "topic": "traffic", "first_seq": 0, "last_seq": 9, "count": 10},
}
SPARK: dict[type[BaseModel], StructType] = {
    ConnectionSnapshot: schemas.CONNECTION_SNAPSHOT,
    ConnectionEvent: schemas.CONNECTION_EVENT,
    PartitionTraffic: schemas.PARTITION_TRAFFIC,
    ApiTraffic: schemas.API_TRAFFIC,
    TopicPresence: schemas.TOPIC_PRESENCE,
    RequestEvent: schemas.REQUEST_EVENT,
    TopicInterceptions: schemas.TOPIC_INTERCEPTIONS,
    KeyInterceptions: schemas.KEY_INTERCEPTIONS,
    ClientInterceptions: schemas.CLIENT_INTERCEPTIONS,
    HeaderRow: schemas.HEADER_ROW,
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
        (PartitionTraffic, {"schema": "kwitness.traffic/2"}),
        (PartitionTraffic, {"kind": "api"}),
        (PartitionTraffic, {"topic": "t" * 250}),
        (PartitionTraffic, {"topic_id": "short"}),
        (PartitionTraffic, {"partition": -1}),
        (PartitionTraffic, {"errors": {"0": -1}}),
        (PartitionTraffic, {"api": "Metadata"}),
        (PartitionTraffic, {"compression": {"brotli": 1}}),
        (PartitionTraffic, {"reported_by": "somebody"}),
        (PartitionTraffic, {"offset_ranges": [{"first": 0, "last": 2**63}]}),
        (PartitionTraffic, {"offset_ranges": [{"first": 0, "last": 1}] * 9}),
        (ApiTraffic, {"api_version": 2**15}),
        (ApiTraffic, {"response_time": {"buckets": {"0": -1}}}),
        (TopicPresence, {"partitions": -1}),
        (ConnectionEvent, {"kind": "snapshot"}),
        (RequestEvent, {"api_key": 2**15}),
        (RequestEvent, {"partitions": [{"topic": "orders", "partition": 0}] * 1025}),
        (RequestEvent, {"fields": [1]}),
        (TopicInterceptions, {"side": "broker"}),
        (TopicInterceptions, {"failures": {str(number): 1 for number in range(65)}}),
        (TopicInterceptions, {"partitions": [{"partition": 0}] * 1025}),
        (KeyInterceptions, {"sketch": "a" * 5_520}),
        (KeyInterceptions, {"sketch": "{}"}),
        (ClientInterceptions, {"hooks": [{"interceptor": "Audit", "hook": "on_send", "calls": 1}]}),
        (ClientInterceptions, {"attributes": {"team": "t" * 64}}),
        (HeaderRow, {"key": "k" * 129}),
        (HeaderRow, {"seen_by": "ruby"}),
        (HeaderRow, {"values": [{"value": "v", "records": 1}] * 33}),
        (HeaderRow, {"values": [{"value": "v" * 257, "records": 1}]}),
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
    types = {field.name: field.dataType.simpleString() for field in (*schemas.PARTITION_TRAFFIC, *schemas.API_TRAFFIC)}

    assert types["errors"] == "map<string,bigint>"
    assert types["first_offset"] == "bigint"
    assert types["offset_ranges"] == "array<struct<first:bigint,last:bigint>>"
    assert types["response_time"] == "struct<buckets:map<string,bigint>,sum_us:bigint>"
    assert schemas.REQUEST_EVENT["fields"].dataType.simpleString() == "string"


def test_spark_has_what_interceptors_count() -> None:
    types = {field.name: field.dataType.simpleString() for field in schemas.TOPIC_INTERCEPTIONS}

    assert types["record_sizes"] == "struct<buckets:map<string,bigint>,sum_bytes:bigint>"
    assert types["attributes"] == "map<string,string>"
    assert types["partitions"] == (
        "array<struct<partition:bigint,acknowledged:bigint,consumed:bigint,committed_offset:bigint,"
        "offset_ranges:array<struct<first:bigint,last:bigint>>,offset_ranges_merged:bigint>>"
    )


def test_spark_has_values_of_headers() -> None:
    types = {field.name: field.dataType.simpleString() for field in schemas.HEADER_ROW}

    assert types["values"] == "array<struct<value:string,records:bigint>>"
    assert types["registered"] == "boolean"


def test_a_duration_is_counted_at_the_first_bound_that_is_not_below_it() -> None:
    assert list(SKETCH_BOUNDS[:3]) == [1, 2, 3]
    assert SKETCH_BOUNDS[-2] < 86_400_000_000 <= SKETCH_BOUNDS[-1]
    assert (bucket_of(0), bucket_of(1), bucket_of(2)) == (0, 0, 1)
    for number in (1, 200, len(SKETCH_BOUNDS) - 2):
        assert bucket_of(SKETCH_BOUNDS[number]) == number
        assert bucket_of(SKETCH_BOUNDS[number] + 1) == number + 1
    assert bucket_of(10**15) == len(SKETCH_BOUNDS) - 1


def test_the_middle_of_a_bucket_is_one_percent_from_its_ends() -> None:
    for low, high in pairwise(SKETCH_BOUNDS):
        middle = 2 * low * high / (low + high)
        assert high == low + 1 or max(middle / low - 1, 1 - middle / high) <= 0.0101


def test_other_languages_read_the_bounds_from_files() -> None:
    sketch = json.loads((ROOT / "contracts/vectors/sketch_bounds.json").read_text())
    times = json.loads((ROOT / "contracts/vectors/response_time_bounds.json").read_text())

    assert tuple(sketch["bounds"]) == SKETCH_BOUNDS
    assert [bound / 1_000_000 for bound in times["bounds_us"]] == list(
        own_metric("kafka_client_response_time_seconds").bounds
    )


@pytest.mark.parametrize("model", SPARK, ids=named)
def test_every_key_has_its_line_on_the_page(model: type[BaseModel]) -> None:
    page = (ROOT / "docs/reference/topics.md").read_text()
    section = page.partition(f"\n## {model.__name__} (")[2].partition("\n## ")[0]
    own = set(model.model_json_schema(by_alias=True)["properties"]) - set(IDENTITY_KEYS)

    assert [key for key in sorted(own) if f"| `{key}` |" not in section] == []
