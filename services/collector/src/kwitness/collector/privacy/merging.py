"""Points that an attribute told apart, and that are the same without it: added up, or all but the first left out."""

from __future__ import annotations

from typing import Any, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric

from kwitness.collector.otlp.decode import NO_VALUE

_NUMBERS: Final = frozenset({"gauge", "sum"})
_ADDED: Final = frozenset({"sum", "histogram"})


def merged(content: bytes) -> tuple[bytes, int]:
    """Return a metric whose points all differ, and how many were left out of it.

    Sums are added, and histograms of the same bounds; of gauges, of what else there is, and of histograms of other
    bounds the first point stays.
    """
    metric = Metric.FromString(content)
    kind = metric.WhichOneof("data")
    if kind is None:
        return content, 0
    points = getattr(metric, kind).data_points
    kept: dict[tuple[bytes, ...], Any] = {}
    left_out = 0
    for point in points:
        if point.flags & NO_VALUE or (kind in _NUMBERS and point.WhichOneof("value") is None):
            kept[b"", str(len(kept)).encode()] = point  # it measured nothing, and must not swallow a neighbour
            continue
        key = tuple(sorted(one.SerializeToString() for one in point.attributes))
        first = kept.setdefault(key, point)
        if first is not point and not (kind in _ADDED and _add(kind, first, point)):
            left_out += 1
    if len(kept) == len(points):
        return content, 0
    remaining = [type(point).FromString(point.SerializeToString()) for point in kept.values()]
    del points[:]
    points.extend(remaining)
    return bytes(metric.SerializeToString()), left_out


def _add(kind: str, first: Any, point: Any) -> bool:
    starts = [one for one in (first.start_time_unix_nano, point.start_time_unix_nano) if one]
    if kind == "sum":
        if first.WhichOneof("value") == "as_int" == point.WhichOneof("value"):
            first.as_int = _within(first.as_int + point.as_int)
        else:
            first.as_double = _number(first) + _number(point)
    else:
        if list(first.explicit_bounds) != list(point.explicit_bounds):
            return False
        if len(first.bucket_counts) != len(point.bucket_counts):
            return False
        first.bucket_counts[:] = map(_unsigned, first.bucket_counts, point.bucket_counts)
        first.count = _unsigned(first.count, point.count)
        first.sum += point.sum
        for name, choose in (("min", min), ("max", max)):
            if first.HasField(name) and point.HasField(name):
                setattr(first, name, choose(getattr(first, name), getattr(point, name)))
            else:
                first.ClearField(name)
    first.start_time_unix_nano = min(starts, default=0)
    first.time_unix_nano = max(first.time_unix_nano, point.time_unix_nano)
    return True


def _number(point: Any) -> float:
    return float(point.as_int or point.as_double)


def _unsigned(one: int, two: int) -> int:
    return min(one + two, 2**64 - 1)


def _within(number: int) -> int:
    return max(-(2**63), min(number, 2**63 - 1))
