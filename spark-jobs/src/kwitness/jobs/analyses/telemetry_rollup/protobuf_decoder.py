"""Pushes read by protobuf's own library: what the native decoder is measured and tested by, and its stand-in."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf.message import DecodeError
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

from kwitness.jobs.analyses.telemetry_rollup.schema import HEADERS, MALFORMED, NO_METRICS, READ, READABLE
from kwitness.jobs.frame.kafka_record import records_in

if TYPE_CHECKING:
    import pyarrow as pa

_LONGEST_NAME, _LONGEST_UNIT = 255, 63
"""Bytes. Source: OpenTelemetry's metrics API, "Instrument"."""
_MOST_BUCKETS = 512
_MOST_ATTRIBUTES, _LONGEST_ATTRIBUTES = 64, 2_048
_LARGEST = 2**53
_NO_RECORDED_VALUE = 1
_DELTA = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
_SHAPES = {(True, True): "counter", (True, False): "counter_total", (False, True): "change", (False, False): "level"}
_OTHER = {"double_value": "double", "array_value": "array", "kvlist_value": "kvlist", "bytes_value": "bytes"}


class Push(NamedTuple):
    """What a payload says, as `kwitness.jobs.analyses.telemetry_rollup.schema.READ` has it."""

    outcome: int
    left_out: int
    without_value: int
    unusable: int
    points: list[dict[str, Any]]


def read_batch(batch: pa.RecordBatch, prefixes: Sequence[str], most: int) -> Iterable[tuple[int, pa.Array[Any]]]:
    """What the records of a batch say, part by part: how many records a part is of, and an array of `READ`."""
    import pyarrow as pa  # noqa: PLC0415 - only the executors' Python workers have a use for it
    from pyspark.sql.pandas.types import to_arrow_type  # noqa: PLC0415

    rows = []
    for record in records_in(batch):
        texts, is_damaged = _headers(record.headers)
        push = read_push(record.value or b"", tuple(prefixes), most)
        rows.append({**texts, "is_damaged": int(is_damaged), **push._asdict()})
    yield batch.num_rows, pa.array(rows, to_arrow_type(READ))


def _headers(headers: Iterable[tuple[str, bytes | None]]) -> tuple[dict[str, str | None], bool]:
    last = {key: value for key, value in headers if value is not None and key in HEADERS}
    texts: dict[str, str | None] = {}
    for key, value in last.items():
        try:
            texts[key] = value.decode()
        except UnicodeDecodeError:
            texts[key] = None
    return texts, None in texts.values()


def read_push(payload: bytes, prefixes: tuple[str, ...] = (), most: int = 1_000) -> Push:
    """Read one payload; an empty one is a push without metrics.

    Parameters
    ----------
    prefixes
        How names of metrics begin that are read; none: all.
    most
        Data points that are kept, in their order.
    """
    try:
        data = MetricsData.FromString(payload)
    except DecodeError:
        return Push(MALFORMED, 0, 0, 0, [])
    if payload and not data.resource_metrics:
        return Push(NO_METRICS, 0, 0, 0, [])
    points: list[dict[str, Any]] = []
    without_value = unusable = 0
    metrics = (one for resource in data.resource_metrics for scope in resource.scope_metrics for one in scope.metrics)
    for metric in metrics:
        if prefixes and not metric.name.startswith(prefixes):
            continue
        found, nothing, bad = _metric(metric)
        points += found
        without_value += nothing
        unusable += bad
    return Push(READABLE, max(0, len(points) - most), without_value, unusable, points[:most])


def _metric(metric: Any) -> tuple[list[dict[str, Any]], int, int]:
    """Points of a metric; how many have no value, and how many cannot be used."""
    kind = metric.WhichOneof("data")
    if kind is None:
        return [], 0, 0
    data = getattr(metric, kind)
    if kind not in {"gauge", "sum", "histogram"}:
        return [], 0, len(data.data_points)
    is_delta = kind != "gauge" and data.aggregation_temporality == _DELTA
    shape = {"gauge": "gauge", "histogram": "histogram" if is_delta else "histogram_total"}.get(kind)
    shape = shape or _SHAPES[data.is_monotonic, is_delta]
    named = 0 < len(metric.name.encode()) <= _LONGEST_NAME and len(metric.unit.encode()) <= _LONGEST_UNIT
    points, without_value = [], 0
    for point in data.data_points:
        number = _observed(point) if kind == "histogram" else _number(point)
        if point.flags & _NO_RECORDED_VALUE or number is None or (kind != "histogram" and math.isnan(number["value"])):
            without_value += 1
            continue
        attributes = _attributes(point.attributes)
        falls = shape.startswith("counter") and number["value"] < 0
        if (
            named
            and attributes is not None
            and math.isfinite(number["value"])
            and number["observations"] >= 0
            and not falls
        ):
            at = {"start_ms": point.start_time_unix_nano // 1_000_000}
            points.append(
                {"metric": metric.name, "unit": metric.unit, "shape": shape, "attributes": attributes} | at | number
            )
    return points, without_value, len(data.data_points) - without_value - len(points)


def _number(point: Any) -> dict[str, Any] | None:
    given = point.WhichOneof("value")
    if given is None:
        return None
    # Zero has one sign.
    return {"value": float(getattr(point, given)) + 0.0, "observations": 0, "bounds": [], "bucket_counts": []}


def _observed(point: Any) -> dict[str, Any]:
    """A histogram's point; with -1 observations where it makes no sense."""
    bounds, counts = [one + 0.0 for one in point.explicit_bounds], list(point.bucket_counts)
    if not bounds and not counts:
        counts = [point.count]
    rising = all(map(math.isfinite, bounds)) and all(low < high for low, high in itertools.pairwise(bounds))
    counted = max([point.count, *counts]) <= _LARGEST
    good = rising and counted and len(counts) == len(bounds) + 1 <= _MOST_BUCKETS
    count = point.count if good else -1
    return {"value": point.sum + 0.0, "observations": count, "bounds": bounds, "bucket_counts": counts}


def _attributes(attributes: Any) -> str | None:
    """A JSON object, sorted by key; None where it is too much. Of attributes with one key the first counts."""
    if not attributes:
        return "{}"
    if len(attributes) > _MOST_ATTRIBUTES:
        return None
    texts: dict[str, str] = {}
    for one in attributes:
        texts.setdefault(one.key, _text(one.value))
    found = json.dumps({key: texts[key] for key in sorted(texts)}, ensure_ascii=False, separators=(",", ":"))
    return found if len(found.encode()) <= _LONGEST_ATTRIBUTES else None


def _text(value: Any) -> str:
    match value.WhichOneof("value"):
        case None:
            return ""
        case "string_value" | "int_value" as kind:
            return str(getattr(value, kind))
        case "bool_value":
            return "true" if value.bool_value else "false"
        case kind:
            return f"({_OTHER.get(kind, 'strindex')})"
