"""Writes a client's increments as the sums that they add up to here, for endpoints that take no increments.

The sums are those by which the page counts: a client's slots have them, so they outlive a restart with their start, and
begin again with the slot. What found no slot within the budget of series has no sum and is left out.
Source: opentelemetry-proto ``metrics/v1/metrics.proto``, ``AggregationTemporality``.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

from kwitness.collector.core import Cumulative
from kwitness.collector.otlp import bounds
from kwitness.collector.otlp.decode import MAX_ATTRIBUTES, NO_VALUE, attributes_of
from kwitness.collector.otlp.points import Buckets, Kind
from kwitness.collector.prometheus.clients import Client
from kwitness.collector.prometheus.families import FamilyRegister
from kwitness.collector.prometheus.series import Counter, Gauge, Histogram, Slot

_DELTA: Final = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
_CUMULATIVE: Final = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
_WITH_TEMPORALITY: Final = ("sum", "histogram", "exponential_histogram")
_LARGEST: Final = 2**63
"""The first number that ``as_int`` does not hold."""
_NS: Final = 1_000_000


def with_sums(payload: bytes, client: Client | None, register: FamilyRegister, now_ms: int) -> Cumulative:
    """Return a push that was applied with sums in place of increments, and how many points have none.

    Without a ``client`` no sum is known. Points without a time get ``now_ms``, in milliseconds since 1970.
    """
    try:
        bounds.check(payload, bounds.MAX_PUSH_FIELDS, bounds.MAX_PUSH_FIELDS)
        data = MetricsData.FromString(payload)
    except (DecodeError, IndexError, ValueError):
        return Cumulative(payload, 0)
    writing = _Writing(client, register, now_ms * _NS)
    for resource in data.resource_metrics:
        for scope in resource.scope_metrics:
            for index in reversed(range(len(scope.metrics))):
                if not writing.keeps(scope.metrics[index]):
                    del scope.metrics[index]
    return Cumulative(data.SerializeToString(), writing.left_out) if writing.changed else Cumulative(payload, 0)


class _Writing:
    def __init__(self, client: Client | None, register: FamilyRegister, now_ns: int) -> None:
        self._client = client
        self._register = register
        self._now_ns = now_ns
        self._written: set[int] = set()
        self.changed = False
        self.left_out = 0

    def keeps(self, metric: Any) -> bool:
        """Rewrite a metric; False where nothing of it is left."""
        which = metric.WhichOneof("data")
        if which not in _WITH_TEMPORALITY or getattr(metric, which).aggregation_temporality != _DELTA:
            return True
        self.changed = True
        data = getattr(metric, which)
        kind = _kind(which, data)
        if kind is None or self._client is None:
            self.left_out += len(data.data_points)
            return False
        family, factor, _ = self._register.resolve(metric.name, metric.unit, kind, self._client.holder)
        data.aggregation_temporality = _CUMULATIVE
        for index in reversed(range(len(data.data_points))):
            point = data.data_points[index]
            if point.flags & NO_VALUE:
                continue
            slot = self._client.slots.get((metric.name, attributes_of(point.attributes)))
            if slot is not None and id(slot) in self._written:
                del data.data_points[index]  # the sum has its increment already
            elif (
                slot is not None
                and family is not None
                and slot.family == family.index
                and len(point.attributes) <= MAX_ATTRIBUTES
                and _write(point, slot, factor)
            ):
                self._written.add(id(slot))
                self._time(point, slot)
            else:
                self.left_out += 1
                del data.data_points[index]
        return len(data.data_points) > 0

    def _time(self, point: Any, slot: Slot) -> None:
        time_ns = point.time_unix_nano or self._now_ns
        # A clock that was set back: a sum's start is not after its time.
        slot.since_ns = min(slot.since_ns or time_ns, time_ns)
        point.start_time_unix_nano, point.time_unix_nano = slot.since_ns, time_ns


def _kind(which: str, data: Any) -> Kind | None:
    """Return the kind of increments; None where the page has no sum of such."""
    if which == "sum":
        return Kind.DELTA if data.is_monotonic else Kind.LEVEL_DELTA
    return Kind.HISTOGRAM_DELTA if which == "histogram" else None


def _write(point: Any, slot: Slot, factor: float) -> bool:
    """Write a slot's sum; False where it has none of this kind."""
    match slot.series:
        case Counter():
            write_number(point, slot.total if factor == 1 else slot.total / factor)
        case Gauge() if not isinstance(slot.last, Buckets | None):
            write_number(point, slot.last)
        case Histogram() if slot.buckets is not None and slot.buckets.count == slot.count:
            return _write_buckets(point, slot.buckets)
        case _:
            return False
    return True


def write_number(point: Any, value: float) -> None:
    """Write the value of a number's point; an integer that OTLP cannot hold as one is written as a double."""
    if isinstance(value, int) and abs(value) < _LARGEST:
        point.as_int = value
    else:
        point.as_double = value


def _write_buckets(point: Any, buckets: Buckets) -> bool:
    if tuple(point.explicit_bounds) != buckets.bounds:
        return False
    if point.bucket_counts:
        point.bucket_counts[:] = buckets.counts
    point.count = buckets.count
    if point.HasField("sum"):
        point.sum = buckets.total
    # Of the increment alone.
    point.ClearField("min")
    point.ClearField("max")
    return True
