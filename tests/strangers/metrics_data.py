"""Metrics that no well-made client sends, in the form in which OTLP has them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, MetricsData

from tests.collector.collector_samples import CREATION_TOTAL, LATENCY_AVG

_LARGEST = 1.7976931348623157e308
_INTEGERS = st.integers(-(2**63), 2**63 - 1)
_COUNTS = st.sampled_from([0, 1, 2**53 + 1, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)
_DOUBLES = st.sampled_from([0.0, -0.0, 5e-324, _LARGEST, -_LARGEST, 1e308]) | st.floats()
TEXTS = st.sampled_from(
    [
        "",
        "\0",
        "x" * 300,
        "x" * 5_000,
        'le"} 1\n',
        "up",
        "__name__",
        "le",
        "quantile",
        "\u2028",
        "\U0010ffff",
        "cluster_id",
    ]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_NAMES = st.sampled_from([CREATION_TOTAL, LATENCY_AVG, "up", "scrape_samples_scraped", "a_total", "a_sum", "a"]) | TEXTS


@st.composite
def metrics(draw: st.DrawFn) -> bytes:
    """Draw a message; one in some is cut or has bytes changed."""
    data = MetricsData()
    for _ in range(draw(st.integers(1, 2))):
        resource = data.resource_metrics.add()
        resource.resource.attributes.extend(draw(_attributes()))
        scope = resource.scope_metrics.add()
        scope.metrics.extend(draw(st.lists(_metric(), max_size=4)))
    payload = bytearray(data.SerializeToString())
    if draw(st.integers(0, 4)) == 0:
        place = draw(st.integers(0, len(payload)))
        noise = draw(st.binary(max_size=8))
        payload[place : place + len(noise)] = noise
    return bytes(payload)


@st.composite
def _attributes(draw: st.DrawFn) -> list[KeyValue]:
    found = []
    for key in draw(st.lists(TEXTS, max_size=3)):
        attribute = KeyValue(key=key)
        kind = draw(st.sampled_from(["string_value", "int_value", "double_value", "bool_value", "array", "none"]))
        if kind == "array":
            attribute.value.array_value.values.add().string_value = draw(TEXTS)
        elif kind != "none":
            drawn = {"string_value": TEXTS, "int_value": _INTEGERS, "double_value": _DOUBLES}.get(kind, st.booleans())
            setattr(attribute.value, kind, draw(drawn))
        found.append(attribute)
    return found


@st.composite
def _metric(draw: st.DrawFn) -> Metric:
    metric = Metric(name=draw(_NAMES), unit=draw(TEXTS))
    kind = draw(st.sampled_from(["gauge", "sum", "histogram", "exponential_histogram", "summary"]))
    part: Any = getattr(metric, kind)
    if kind not in {"gauge", "summary"}:
        part.aggregation_temporality = draw(st.integers(0, 2))
    if kind == "sum":
        part.is_monotonic = draw(st.booleans())
    for _ in range(draw(st.integers(0, 3))):
        point = part.data_points.add()
        point.attributes.extend(draw(_attributes()))
        point.start_time_unix_nano, point.time_unix_nano = draw(_COUNTS), draw(_COUNTS)
        point.flags = draw(st.sampled_from([0, 0, 1, 2**32 - 1]))
        _fill(draw, kind, point)
    return metric


def _fill(draw: st.DrawFn, kind: str, point: Any) -> None:
    if kind in {"gauge", "sum"}:
        name, numbers = draw(st.sampled_from([("as_int", _INTEGERS), ("as_double", _DOUBLES), ("", st.none())]))
        if name:
            setattr(point, name, draw(numbers))
        return
    point.count, point.sum = draw(_COUNTS), draw(_DOUBLES)
    if kind == "histogram":
        point.explicit_bounds.extend(draw(st.lists(_DOUBLES, max_size=4)))
        point.bucket_counts.extend(draw(st.lists(_COUNTS, max_size=5)))
    elif kind == "exponential_histogram":
        point.scale = draw(st.integers(-(2**31), 2**31 - 1))
        point.positive.offset = draw(st.integers(-(2**31), 2**31 - 1))
        point.positive.bucket_counts.extend(draw(st.lists(_COUNTS, max_size=4)))
    else:
        quantile = point.quantile_values.add()
        quantile.quantile, quantile.value = draw(_DOUBLES), draw(_DOUBLES)
