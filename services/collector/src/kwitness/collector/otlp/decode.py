"""Bytes of an OTLP ``MetricsData`` (the same on the wire as ``ExportMetricsServiceRequest``) into points.

Together with `prometheus.exposition` this is the seam that a native core can take over.
Source: opentelemetry-proto ``metrics/v1/metrics.proto``.
"""

from __future__ import annotations

import heapq
import itertools
import math
import operator
from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

from kwitness.collector.otlp import bounds
from kwitness.collector.otlp.points import Attributes, Buckets, Decoded, Kind, MetricPoints, Point

MAX_ATTRIBUTES: Final = 64
"""Attributes kept of one point; Kafka clients send at most three."""
MAX_NAME: Final = 255
MAX_UNIT: Final = 63
"""Characters of a metric's name and unit. Source: OpenTelemetry's metrics API, "Instrument"."""
MAX_BUCKETS: Final = 512
"""Buckets of one histogram; more is counted as unsupported."""
_MAX_NESTED: Final = 2_048
"""Bytes of a list or map whose text is written; of none that is longer all attributes are short enough."""
NO_VALUE: Final = 1
"""``FLAG_NO_RECORDED_VALUE``: the point only says that there is no value."""
_DELTA: Final = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA

_KEY: Final = operator.attrgetter("key")


class MalformedPayloadError(ValueError):
    """The bytes are not an OTLP message."""


def decode(payload: bytes) -> Decoded:
    """Read one push; an empty payload is a push without metrics (confluent-kafka 2.8.0 sends those).

    Raises
    ------
    MalformedPayloadError
        If the bytes are no ``MetricsData``, for example cut off, or nested deeper than protobuf allows; or hold more
        than is read of one push.
    """
    try:
        bounds.check(payload, bounds.MAX_PUSH_FIELDS, bounds.MAX_PUSH_FIELDS)
        data = MetricsData.FromString(payload)
    except (DecodeError, IndexError, ValueError) as error:
        raise MalformedPayloadError(f"{len(payload)} bytes that are no OTLP MetricsData: {error}") from error
    # Two bytes are the least that a point takes.
    large = len(payload) > 2 * bounds.MAX_PUSH_POINTS
    beyond = bounds.keep_first(data.resource_metrics, bounds.MAX_PUSH_POINTS) if large else 0
    return points_of(data.resource_metrics)._replace(beyond=beyond)


def points_of(resource_metrics: Iterable[Any]) -> Decoded:
    """Translate parsed ``ResourceMetrics`` messages."""
    metrics: list[MetricPoints] = []
    unsupported = 0
    for one in resource_metrics:
        for scope in one.scope_metrics:
            for metric in scope.metrics:
                read, left_out = _read(metric)
                unsupported += left_out
                if read is not None:
                    metrics.append(read)
    return Decoded(metrics, unsupported)


def _read(metric: Any) -> tuple[MetricPoints | None, int]:
    which = metric.WhichOneof("data")
    if len(metric.name) > MAX_NAME or len(metric.unit) > MAX_UNIT:
        return None, len(getattr(metric, which).data_points) if which else 0
    if which == "gauge":
        return _numbers(metric, metric.gauge.data_points, Kind.GAUGE), 0
    if which == "sum":
        return _numbers(metric, metric.sum.data_points, _kind_of_sum(metric.sum)), 0
    if which == "histogram":
        delta = metric.histogram.aggregation_temporality == _DELTA
        kind = Kind.HISTOGRAM_DELTA if delta else Kind.HISTOGRAM_CUMULATIVE
        return _histogram(metric, metric.histogram.data_points, kind)
    return None, len(getattr(metric, which).data_points) if which else 0


def _kind_of_sum(total: Any) -> Kind:
    delta = total.aggregation_temporality == _DELTA
    if total.is_monotonic:
        return Kind.DELTA if delta else Kind.CUMULATIVE
    return Kind.LEVEL_DELTA if delta else Kind.LEVEL


def _numbers(metric: Any, data_points: Any, kind: Kind) -> MetricPoints:
    points = [
        # Reading both fields is half the price of asking which one is set; an unset one is 0.
        (attributes_of(point.attributes), value, point.start_time_unix_nano, point.time_unix_nano)
        for point in data_points
        if not point.flags & NO_VALUE
        and ((value := point.as_int or point.as_double) or point.WhichOneof("value") is not None)
    ]
    return MetricPoints(metric.name, metric.unit, kind, points)


def _histogram(metric: Any, data_points: Any, kind: Kind) -> tuple[MetricPoints, int]:
    points: list[Point] = []
    left_out = 0
    for point in data_points:
        if point.flags & NO_VALUE:
            continue
        bounds, counts = tuple(point.explicit_bounds), tuple(point.bucket_counts)
        rising = all(map(math.isfinite, bounds)) and all(low < high for low, high in itertools.pairwise(bounds))
        if not counts and not bounds:
            counts = (point.count,)
        if len(counts) != len(bounds) + 1 or len(counts) > MAX_BUCKETS or not rising:
            left_out += 1
            continue
        value = Buckets(bounds, counts, point.sum, point.count)
        points.append((attributes_of(point.attributes), value, point.start_time_unix_nano, point.time_unix_nano))
    return MetricPoints(metric.name, metric.unit, kind, points), left_out


def attributes_of(attributes: Any) -> Attributes:
    """Read attributes as text, sorted, at most `MAX_ATTRIBUTES`; lists and maps become protobuf text, as one value."""
    count = len(attributes)
    if count == 0:
        return ()
    if count == 1:  # nearly always; the node a client measured
        one = attributes[0]
        return ((one.key, one.value.string_value or _text(one.value)),)
    # They are a set: a program that was started again, or a processor, may write them in another order.
    kept = attributes if count <= MAX_ATTRIBUTES else heapq.nsmallest(MAX_ATTRIBUTES, attributes, key=_KEY)
    return tuple(sorted([(one.key, one.value.string_value or _text(one.value)) for one in kept]))


def _text(value: Any) -> str:
    kind = value.WhichOneof("value")
    if kind is None:
        return ""
    found = getattr(value, kind)
    match kind:
        case "string_value" | "int_value":
            return str(found)
        case "bool_value":
            return "true" if found else "false"
        case "double_value":
            return repr(found)
        case "bytes_value":
            return bytes(found).hex()
        case _:
            # What is too long to be exposed would take long to write as text.
            is_long = value.ByteSize() > _MAX_NESTED
            return bytes(value.SerializeToString()).hex() if is_long else " ".join(str(value).split())
