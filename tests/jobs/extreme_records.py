"""Records as a workload can write them, with the extremes of each field: numbers, times, texts, and what is no JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pyspark.sql.types import ArrayType, DataType, LongType, MapType, StringType, StructType

from kwitness.jobs.frame.kafka_record import KafkaRecord
from kwitness.jobs.generated import schemas

from tests.jobs import answered, header_uses, intercepted, observed, pushed
from tests.jobs.observed import DELAY_MS, START_MS
from tests.jobs.topic_uses import snapshot_of

Value = dict[str, Any]
NUMBERS: tuple[int | None, ...] = (None, 2**63 - 1, -(2**63), 2**63, 2**53, 2**53 + 1, 2**31, -1, 0)
TEXTS = ("", "\0", "\ud800", "é" * 3_000, "9" * 400, "a/b/c/d", "%s{}'\"\\")
SHAPES: dict[str, tuple[tuple[StructType, Value], ...]] = {
    "traffic": (
        (schemas.PARTITION_TRAFFIC, observed.partition()),
        (schemas.PARTITION_TRAFFIC, observed.partition(api="Fetch")),
        (schemas.API_TRAFFIC, observed.api()),
        (schemas.TOPIC_PRESENCE, observed.presence()),
    ),
    "requests": ((schemas.REQUEST_EVENT, answered.request_event()),),
    "interceptions": (
        (schemas.TOPIC_INTERCEPTIONS, intercepted.row()),
        (schemas.TOPIC_INTERCEPTIONS, intercepted.row(side="producer")),
        (schemas.KEY_INTERCEPTIONS, intercepted.row(kind="key", key="a")),
        (schemas.CLIENT_INTERCEPTIONS, intercepted.row(kind="client", topic=None)),
    ),
    "headers": ((schemas.HEADER_ROW, header_uses.row()),),
    "connections": (
        (schemas.CONNECTION_SNAPSHOT, json.loads(snapshot_of(0, START_MS, []).value or b"")),
        (
            schemas.CONNECTION_EVENT,
            observed.event(schema="kwitness.connections/1", kind="closed", occurred_at_ms=START_MS),
        ),
    ),
    "seals": ((schemas.WINDOW_SEAL, observed.seal(1, first_seq=1, last_seq=1)),),
}
NO_JSON = (None, b"", b"[]", b"1", b'{"schema": "\xff\xfe"}', b'{"event_seq": 1e400}', b"[" * 5_000, b'{"a": NaN}')
_LARGEST = 2**64 - 1


def extremes(kind: str, *, copies: int = 1_100) -> list[KafkaRecord]:
    """Good records of a topic of the platform and, after them, all variants with extremes.

    Parameters
    ----------
    copies
        Of a record that counts as much as one may, in each shape: the sum of 1,024 is beyond 64 bits.
    """
    shapes = SHAPES.get(kind, ())
    values: list[Value | bytes | None] = [base for _, base in shapes]
    values += [variant for shape, base in shapes for variant in _variants(shape, base)]
    values += NO_JSON
    values += [_counting(shape, 2**53) | base for shape, base in shapes for _ in range(copies)]
    placed = [_record(kind, at, value) for at, value in enumerate(values)] if shapes else _pushes()
    return [record._replace(offset=at) for at, record in enumerate(placed)]


def _variants(shape: StructType, base: Value) -> Iterator[Value]:
    for number in NUMBERS:
        yield _filled(shape, number, "text") | base
        for field in shape:
            if isinstance(field.dataType, LongType):
                yield base | {field.name: number}
            elif isinstance(field.dataType, ArrayType | MapType | StructType):
                yield base | {field.name: _leaf(field.dataType, number, "orders")}
                yield base | {field.name: [None]}
    for text in TEXTS:
        yield _filled(shape, 1, text) | {name: base[name] for name in ("schema", "kind") if name in base}
        for field in shape:
            if isinstance(field.dataType, StringType) and field.name != "schema":
                yield base | {field.name: text}
    for name in base:
        yield {key: value for key, value in base.items() if key != name}
        yield base | {name: [[]]}


def _counting(shape: StructType, number: int) -> Value:
    """All that may be a count; a distribution has its one bucket, and errors have a code."""
    kinds = (LongType, MapType)
    found = {field.name: _leaf(field.dataType, number, "7") for field in shape if isinstance(field.dataType, kinds)}
    return found | {"partition": 0, "api_version": 1}


def _filled(shape: StructType, number: int | None, text: str) -> Value:
    return {field.name: _leaf(field.dataType, number, text) for field in shape}


def _leaf(kind: DataType, number: int | None, text: str) -> Any:
    match kind:
        case StructType():
            return _filled(kind, number, text)
        case ArrayType():
            return [_leaf(kind.elementType, number, text)] * 2
        case MapType():
            return {key: _leaf(kind.valueType, number, text) for key in ("7", "checksum_mismatch", text)}
        case StringType():
            return text
        case LongType():
            return number
        case _:
            return True


def _record(kind: str, at: int, value: Value | bytes | None) -> KafkaRecord:
    if isinstance(value, dict):
        numbered = value | {"event_seq": at} if value.get("event_seq") == 0 else value
        content: bytes | None = json.dumps(numbered).encode()
    else:
        content = value
    return KafkaRecord(f"kwitness.{kind}", 0, at, START_MS + DELAY_MS + 60_000, None, content, ())


def _pushes() -> list[KafkaRecord]:
    floats = (float("nan"), float("inf"), -float("inf"), 1e308, 5e-324)
    metrics = [pushed.gauge("a", value, value) for value in floats]
    metrics += [pushed.total("b", value, START_MS) for value in floats] + [pushed.delta("c", value) for value in floats]
    metrics += [
        pushed.histogram("d", [1.0, float("inf")], [2**63 - 1, 2**63, 0], 1e308),
        pushed.histogram("e", [], [_LARGEST], float("nan"), START_MS),
    ]
    contents = [
        pushed.payload(pushed.gauge("a", 1.0)),
        *(pushed.payload(metric) for metric in metrics for _ in range(2)),
    ]
    contents += [pushed.payload(pushed.gauge("a", 1.0, **{"k" * 70_000: "\0"})), b"", b"\xff" * 9]
    records = [pushed.push(content, at) for at, content in enumerate(contents)]
    names = ("event_epoch", "event_seq", "received_at_ms", "client_id", "cluster_id", "client_instance_id")
    texts = [*map(str, filter(None, NUMBERS)), *(text for text in TEXTS if text != "\ud800"), b"\xff\xfe", None]
    return records + [pushed.push(contents[0], 900, **{name: text}) for name in names for text in texts]
