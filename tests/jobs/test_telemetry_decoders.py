"""The native decoder of pushes against protobuf's own library: made payloads, damaged ones, any headers."""

from __future__ import annotations

import random
import sys
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    Exemplar,
    ExponentialHistogram,
    ExponentialHistogramDataPoint,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
    Summary,
    SummaryDataPoint,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from kwitness.images.image_parts import QUICK, otlp_decoder
from kwitness.jobs.analyses.telemetry_rollup import native_decoder, protobuf_decoder
from kwitness.jobs.frame.kafka_record import KafkaRecord

from tests import soak
from tests.jobs import pushed
from tests.jobs.tables import RECORDS

_U64, _DOUBLES = st.integers(0, 2**64 - 1), st.floats()
_COUNTS = st.integers(0, 9) | _U64
_TEXTS = st.text(max_size=12) | st.sampled_from(["größe", '"\\\n\x01\x7f', "a" * 300])


def _scalars() -> st.SearchStrategy[AnyValue]:
    return st.one_of(
        st.builds(AnyValue, string_value=_TEXTS),
        st.builds(AnyValue, bool_value=st.booleans()),
        st.builds(AnyValue, int_value=st.integers(-(2**63), 2**63 - 1)),
        st.builds(AnyValue, double_value=_DOUBLES),
        st.builds(AnyValue, bytes_value=st.binary(max_size=4)),
        st.builds(AnyValue),
    )


_VALUES = st.recursive(
    _scalars(),
    lambda inner: st.one_of(
        st.builds(AnyValue, array_value=st.builds(ArrayValue, values=st.lists(inner, max_size=2))),
        st.builds(
            AnyValue,
            kvlist_value=st.builds(
                KeyValueList, values=st.lists(st.builds(KeyValue, key=_TEXTS, value=inner), max_size=2)
            ),
        ),
    ),
    max_leaves=4,
)
_ATTRIBUTES = st.lists(st.builds(KeyValue, key=_TEXTS, value=_VALUES), max_size=3)
_EXEMPLARS = st.lists(st.builds(Exemplar, filtered_attributes=_ATTRIBUTES, as_int=st.integers(0, 9)), max_size=1)
_TIMES: dict[str, Any] = {
    "start_time_unix_nano": _U64,
    "time_unix_nano": _U64,
    "flags": st.sampled_from([0, 0, 0, 1, 2]),
}
_NUMBERS = st.lists(
    st.one_of(
        st.builds(NumberDataPoint, as_double=_DOUBLES, attributes=_ATTRIBUTES, exemplars=_EXEMPLARS, **_TIMES),
        st.builds(NumberDataPoint, as_int=st.integers(-(2**63), 2**63 - 1), attributes=_ATTRIBUTES, **_TIMES),
        st.builds(NumberDataPoint, attributes=_ATTRIBUTES),
    ),
    max_size=3,
)
_DISTRIBUTIONS = st.lists(
    st.one_of(
        st.builds(
            HistogramDataPoint,
            bucket_counts=st.lists(_COUNTS, max_size=3),
            explicit_bounds=st.lists(_DOUBLES, max_size=2),
            count=_COUNTS,
            sum=_DOUBLES,
            attributes=_ATTRIBUTES,
            **_TIMES,
        ),
        st.builds(
            HistogramDataPoint,
            bucket_counts=st.lists(st.integers(0, 9), min_size=3, max_size=3),
            explicit_bounds=st.just([0.5, 1.5]),
            count=st.integers(0, 9),
            sum=st.floats(0, 9),
            min=_DOUBLES,
        ),
    ),
    max_size=2,
)
_TEMPORALITY = st.sampled_from([0, 1, 2, 7])
_METRICS = st.one_of(
    st.builds(Metric, name=_TEXTS, unit=_TEXTS, description=_TEXTS, gauge=st.builds(Gauge, data_points=_NUMBERS)),
    st.builds(
        Metric,
        name=_TEXTS,
        metadata=_ATTRIBUTES,
        sum=st.builds(Sum, data_points=_NUMBERS, aggregation_temporality=_TEMPORALITY, is_monotonic=st.booleans()),
    ),
    st.builds(
        Metric,
        name=_TEXTS,
        histogram=st.builds(Histogram, data_points=_DISTRIBUTIONS, aggregation_temporality=_TEMPORALITY),
    ),
    st.builds(Metric, name=_TEXTS, summary=st.builds(Summary, data_points=st.just([SummaryDataPoint(count=1)]))),
    st.builds(
        Metric,
        name=_TEXTS,
        exponential_histogram=st.just(ExponentialHistogram(data_points=[ExponentialHistogramDataPoint(scale=-1)])),
    ),
    st.builds(Metric, name=_TEXTS),
)
_PAYLOADS = st.builds(
    MetricsData,
    resource_metrics=st.lists(
        st.builds(
            ResourceMetrics,
            resource=st.builds(Resource, attributes=_ATTRIBUTES),
            scope_metrics=st.lists(st.builds(ScopeMetrics, metrics=st.lists(_METRICS, max_size=4)), max_size=2),
        ),
        max_size=2,
    ),
).map(lambda data: bytes(data.SerializeToString()))


@pytest.fixture(autouse=True, scope="module")
def module() -> None:
    sys.path.append(str(otlp_decoder(profile=QUICK)))


def both(records: list[KafkaRecord], prefixes: tuple[str, ...] = (), most: int = 1_000) -> list[dict[str, Any]]:
    """What the two decoders read, which must be one and the same."""
    rows = [
        record._asdict() | {"headers": [{"key": key, "value": value} for key, value in record.headers]}
        for record in records
    ]
    batch = pa.RecordBatch.from_pylist(rows, schema=RECORDS)
    found: list[Any] = []
    for read in (protobuf_decoder.read_batch, native_decoder.read_batch):
        parts = list(read(batch, prefixes, most))
        assert sum(count for count, _ in parts) == len(records)
        whole = pa.concat_arrays([part for _, part in parts])
        whole.validate(full=True)
        found.append(whole.to_pylist())
    expected, native = found
    assert repr(native) == repr(expected)
    rows_read: list[dict[str, Any]] = native
    return rows_read


@given(st.lists(_PAYLOADS, min_size=1, max_size=4))
def test_both_read_the_same_in_made_payloads(payloads: list[bytes]) -> None:
    both([pushed.push(one) for one in payloads])


@given(_PAYLOADS, st.lists(st.sampled_from(["", "a", "gr", "org."]), max_size=2), st.integers(0, 3))
def test_both_keep_the_same_of_a_push(payload: bytes, prefixes: list[str], most: int) -> None:
    (row,) = both([pushed.push(payload)], tuple(one for one in prefixes if one), most)

    assert len(row["points"]) <= most


@given(_PAYLOADS, _PAYLOADS)
def test_both_read_messages_one_after_the_other_as_one(first: bytes, second: bytes) -> None:
    both([pushed.push(first + second)])


def test_both_refuse_the_same_of_damaged_payloads() -> None:
    dice = random.Random(soak.FIRST_SEED)  # noqa: S311
    whole = [record.value for record in pushed.mixed(1, minutes=10) if record.value]
    payloads = [_damaged(dice, dice.choice(whole)) for _ in range(soak.share(100_000))]

    rows = both([pushed.push(one) for one in payloads])

    assert {row["outcome"] for row in rows} == {0, 1, 2}


def _damaged(dice: random.Random, payload: bytes) -> bytes:
    content = bytearray(payload)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(content) or 1)
        match dice.randrange(5):
            case 0:
                content[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                del content[at:]
            case 2:
                content[at:at] = dice.randbytes(dice.randrange(1, 12))
            case 3:
                del content[at : at + dice.randrange(1, 9)]
            case _:
                other = dice.randrange(len(content) or 1)
                content[at:at] = content[other : other + dice.randrange(40)]
    return bytes(content)


_HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["schema", "client_id", "principal", "event_seq", "other", ""]),
        st.none() | st.binary(max_size=5) | _TEXTS.map(str.encode),
    ),
    max_size=6,
)


@given(st.lists(_HEADERS, min_size=1, max_size=4))
def test_both_read_the_same_headers(several: list[list[tuple[str, bytes | None]]]) -> None:
    both([pushed.push(None)._replace(headers=tuple(one)) for one in several])


def test_a_batch_of_large_pushes_comes_in_parts() -> None:
    many = [pushed.gauge("a" * 250, 1.0, key="b" * 500) for _ in range(2_000)]
    records = [pushed.push(pushed.payload(*many), seq) for seq in range(40)]
    rows = [one._asdict() | {"headers": []} for one in records]
    batch = pa.RecordBatch.from_pylist(rows, schema=RECORDS)

    parts = list(native_decoder.read_batch(batch, (), 2_000))

    assert 1 < len(parts) < 40
    rows_read: list[Any] = [row for _, part in parts for row in part.to_pylist()]
    assert sum(len(row["points"]) for row in rows_read) == 80_000


def test_offsets_that_are_not_those_of_the_data_are_refused() -> None:
    import kwitness_otlp  # noqa: PLC0415

    for offsets in (b"", b"\0\0\0", b"\0\0\0\0\x09\0\0\0", b"\x01\0\0\0\0\0\0\0", b"\0\0\0\0\xff\xff\xff\xff"):
        with pytest.raises(ValueError, match="offsets"):
            kwitness_otlp.decode(offsets, b"12345678", 0, [], 1)
