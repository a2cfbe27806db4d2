"""Strategies of records within the schemas of the platform's topics and beyond what is sane, for property tests."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from pyspark.sql.types import ArrayType, DataType, LongType, MapType, StringType, StructType

from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests.jobs import pushed
from tests.jobs.extreme_records import NO_JSON, NUMBERS, SHAPES, TEXTS
from tests.jobs.observed import DELAY_MS, LENGTH_MS, START_MS

_LATEST_MS = START_MS + LENGTH_MS + DELAY_MS
_TIMES = (START_MS, START_MS + LENGTH_MS, START_MS - 300_000, _LATEST_MS, 253_402_300_800_000)
_texts = st.sampled_from(("orders", "topic", "producer", "7", *TEXTS)) | st.text(max_size=9)
_numbers = (
    st.integers(0, 9)
    | st.sampled_from(_TIMES)
    | st.sampled_from([number for number in NUMBERS if number is not None])
    | st.integers(-(2**64), 2**64)
)
_floats = st.floats() | st.integers(-(2**63), 2**63 - 1)
_metrics = (
    st.builds(pushed.gauge, _texts.filter(lambda text: "\ud800" not in text), _floats)
    | st.builds(pushed.total, st.sampled_from(("a", "b")), _floats, st.integers(0, 2**44), rises=st.booleans())
    | st.builds(pushed.delta, st.sampled_from(("a", "b")), _floats, rises=st.booleans())
    | st.builds(
        pushed.histogram,
        st.just("d"),
        st.lists(st.floats(), max_size=3),
        st.lists(st.integers(0, 2**32), max_size=5),
        st.floats(),
        st.none() | st.integers(0, 2**44),
    )
)
_payloads = st.lists(_metrics, max_size=3).map(lambda metrics: pushed.payload(*metrics)) | st.binary(max_size=40)
_headers = st.fixed_dictionaries(
    {},
    optional={
        name: st.none() | st.binary(max_size=9) | _numbers.map(str) | _texts.filter(lambda text: "\ud800" not in text)
        for name in ("event_epoch", "event_seq", "received_at_ms", "client_id", "cluster_id", "client_instance_id")
    },
)


def records_of(kind: str) -> st.SearchStrategy[KafkaRecord]:
    """Records of one of the platform's topics; their offset is 0."""
    if kind == "telemetry":
        return st.builds(lambda content, headers: pushed.push(content, 0, **headers), _payloads, _headers)
    contents: st.SearchStrategy[bytes | None] = st.sampled_from(NO_JSON)
    for shape, base in SHAPES[kind]:
        fields = {field.name: st.none() | _values(field.dataType) for field in shape}
        changes = st.fixed_dictionaries({}, optional=fields)
        # The greater part is as sources write it, so that records get as far as the sums.
        few = st.sets(st.sampled_from(sorted(fields)), max_size=4)
        contents |= st.builds(_content, st.just(base), changes, few)
    times = st.just(_LATEST_MS) | st.sampled_from((-1, 0, 2**62, _LATEST_MS + 7 * 86_400_000))
    return st.builds(lambda content, at: KafkaRecord(f"kwitness.{kind}", 0, 0, at, None, content, ()), contents, times)


def _content(base: dict[str, Any], changes: dict[str, Any], few: set[str]) -> bytes:
    return json.dumps(base | {name: value for name, value in changes.items() if name in few}).encode()


def _values(kind: DataType) -> st.SearchStrategy[Any]:
    match kind:
        case StructType():
            return st.fixed_dictionaries(
                {}, optional={field.name: st.none() | _values(field.dataType) for field in kind}
            )
        case ArrayType():
            return st.lists(st.none() | _values(kind.elementType), max_size=3)
        case MapType():
            return st.dictionaries(_texts, st.none() | _values(kind.valueType), max_size=3)
        case StringType():
            return _texts
        case LongType():
            return _numbers
        case _:
            return st.booleans()
