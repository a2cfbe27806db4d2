"""Writes as OTLP what observers and interceptors count: the page's families with their labels and values.

Source: opentelemetry-proto ``metrics/v1/metrics.proto``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

from kwitness.collector.prometheus.budget import BudgetedSeries, Level
from kwitness.collector.prometheus.client_sums import write_number
from kwitness.collector.prometheus.series import Counter, Histogram
from kwitness.contracts.own_metrics import OwnMetric

_CUMULATIVE: Final = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
POINTS: Final = 1_000
"""Points of one payload, so that none is large."""
_NS: Final = 1_000_000


def payloads(totals: Iterable[BudgetedSeries], resource: Mapping[str, str], now_ms: int) -> Iterator[bytes]:
    """Yield ``MetricsData`` messages of one resource with the values of now, in milliseconds since 1970.

    What changes between two of them is in the later one.
    """
    writing = _Writing(resource, now_ms)
    for series in totals:
        for family in series.families():
            metric: Any = None
            for labels, found in family.labelled():
                if isinstance(found, Level) and found.largest(now_ms) is None:
                    continue
                if writing.points == POINTS:
                    yield writing.finish()
                    metric = None
                metric = metric or writing.begin(family.metric)
                writing.add(metric, labels, found, family.divisor)
    if writing.points:
        yield writing.finish()


class _Writing:
    def __init__(self, resource: Mapping[str, str], now_ms: int) -> None:
        self._resource = resource
        self._now_ms = now_ms
        self._data = MetricsData()
        self.points = 0

    def finish(self) -> bytes:
        """Return what was written, and begin again."""
        payload, self._data, self.points = self._data.SerializeToString(), MetricsData(), 0
        return bytes(payload)

    def begin(self, metric: OwnMetric) -> Any:
        if not self._data.resource_metrics:
            resource = self._data.resource_metrics.add()
            _add_attributes(resource.resource, self._resource)
            resource.scope_metrics.add().scope.name = "kwitness"
        begun = self._data.resource_metrics[0].scope_metrics[0].metrics.add()
        begun.name, begun.description = metric.name, metric.help
        return begun

    def add(self, metric: Any, labels: Mapping[str, str], series: Counter | Histogram | Level, divisor: float) -> None:
        match series:
            case Counter():
                metric.sum.aggregation_temporality, metric.sum.is_monotonic = _CUMULATIVE, True
                point = metric.sum.data_points.add()
                write_number(point, series.total if divisor == 1 else series.total / divisor)
                point.start_time_unix_nano = series.created_ms * _NS
            case Histogram():
                metric.histogram.aggregation_temporality = _CUMULATIVE
                point = metric.histogram.data_points.add()
                point.explicit_bounds.extend(bound / divisor for bound in series.bounds)
                point.bucket_counts.extend(series.counts)
                point.count, point.sum = series.count, series.total / divisor
                point.start_time_unix_nano = series.created_ms * _NS
            case Level():
                point = metric.gauge.data_points.add()
                largest = series.largest(self._now_ms) or 0
                write_number(point, largest if divisor == 1 else largest / divisor)
        point.time_unix_nano = self._now_ms * _NS
        _add_attributes(point, labels)
        self.points += 1


def _add_attributes(message: Any, attributes: Mapping[str, str]) -> None:
    for key, value in attributes.items():
        attribute = message.attributes.add()
        attribute.key, attribute.value.string_value = key, value.encode("utf-8", "replace").decode()
