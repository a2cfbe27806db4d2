"""Counts of observers and interceptors as OTLP: the series of the page, in parts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData, NumberDataPoint

from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import BudgetedSeries
from kwitness.collector.prometheus.client_sums import write_number
from kwitness.collector.prometheus.counted_payloads import POINTS, payloads
from kwitness.collector.prometheus.headers import HeaderSeries
from kwitness.collector.prometheus.intercepted import InterceptedSeries, Reported
from kwitness.collector.prometheus.observed import ObservedTotals
from kwitness.contracts.envelopes import HeaderTotals, InterceptionTotals, WindowTotals

from tests.collector.collector_process import parse
from tests.collector.collector_samples import CLUSTER, CUMULATIVE
from tests.collector.core_exposition import NO_ZEROS
from tests.collector.event_samples import totals
from tests.collector.interceptor_samples import header, intercepted

NOW = 1_760_000_000_000
NS = 1_000_000
ORIGIN = Origin(CLUSTER, "shop", "orders", "orders-1")
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def counted() -> list[BudgetedSeries]:
    observed, intercepting, headers = ObservedTotals(1_000), InterceptedSeries(1_000), HeaderSeries(1_000)
    for client in ("orders", "bil\nling"):
        window = {**totals(1, 10, client_id=client), "end_ms": NOW}
        observed.add(ORIGIN, WindowTotals.model_validate(window), NOW, "source")
    intercepting.add(Reported(ORIGIN, "shop", "orders", "r"), InterceptionTotals.model_validate(intercepted(1)), NOW)
    headers.add(ORIGIN, "observer", HeaderTotals.model_validate(header()), NOW)
    return [observed, intercepting, headers]


def exposed(series: Iterable[BudgetedSeries]) -> Samples:
    """Samples of the page, with bounds of buckets as numbers."""
    text = b"".join(
        piece for family in series for piece in family.render(NO_ZEROS._replace(now_ms=NOW), openmetrics=False)
    )
    found = parse(text.decode())
    return {
        (name, frozenset((key, repr(float(text)) if key == "le" else text) for key, text in labels)): value
        for name, samples in found.items()
        for labels, value in samples.items()
    }


def points(payload: bytes) -> Iterator[tuple[Any, Any]]:
    [resource] = MetricsData.FromString(payload).resource_metrics
    assert {found.key: found.value.string_value for found in resource.resource.attributes} == {
        "service.name": "collector"
    }
    for metric in resource.scope_metrics[0].metrics:
        data = getattr(metric, metric.WhichOneof("data"))
        yield from ((metric, point) for point in data.data_points)


def sent(series: Iterable[BudgetedSeries]) -> Samples:
    """Samples as a reader of the payloads sees them."""
    samples: Samples = {}
    for payload in payloads(series, {"service.name": "collector"}, NOW):
        for metric, point in points(payload):
            labels = frozenset((found.key, found.value.string_value) for found in point.attributes)
            kind = metric.WhichOneof("data")
            assert point.time_unix_nano == NOW * NS
            if kind != "gauge":
                assert getattr(metric, kind).aggregation_temporality == CUMULATIVE
                assert point.start_time_unix_nano == NOW * NS
            if kind != "histogram":
                samples[metric.name, labels] = getattr(point, point.WhichOneof("value"))
                continue
            running = 0
            for bound, count in zip((*point.explicit_bounds, math.inf), point.bucket_counts, strict=True):
                running += count
                samples[f"{metric.name}_bucket", labels | {("le", repr(bound))}] = running
            samples[f"{metric.name}_sum", labels] = point.sum
            samples[f"{metric.name}_count", labels] = point.count
    return samples


def test_what_is_sent_is_what_the_page_has() -> None:
    series = counted()

    page = exposed(series)

    assert {name for name, _ in page} >= {
        "kafka_client_records_total",
        "kafka_client_response_time_seconds_bucket",
        "kafka_client_interceptor_sent_records_total",
        "kafka_client_interceptor_distinct_keys",
        "kafka_client_headers_total",
    }
    assert sent(series) == page


def test_a_level_that_holds_no_more_is_not_sent() -> None:
    series = counted()
    names = {
        metric.name
        for payload in payloads(series, {"service.name": "collector"}, NOW + 86_400_000)
        for metric, _ in points(payload)
    }

    assert "kafka_client_records_total" in names
    assert "kafka_client_interceptor_distinct_keys" not in names


def test_many_series_come_in_parts_of_a_thousand_points() -> None:
    headers = HeaderSeries(10_000)
    for number in range(2_000):
        headers.add(ORIGIN, "observer", HeaderTotals.model_validate(header(key=f"key-{number}")), NOW)

    parts = [len(list(points(payload))) for payload in payloads([headers], {"service.name": "collector"}, NOW)]

    assert parts[:-1] == [POINTS] * (len(parts) - 1)
    assert sum(parts) == len(exposed([headers])) >= 4_000
    assert not list(payloads([HeaderSeries(10)], {"service.name": "collector"}, NOW))


@pytest.mark.parametrize(("value", "written"), [(7, "as_int"), (2**62 * 2, "as_double"), (0.5, "as_double")])
def test_a_number_that_otlp_cannot_hold_as_an_integer_is_a_double(value: float, written: str) -> None:
    point = NumberDataPoint()

    write_number(point, value)

    assert point.WhichOneof("value") == written
    assert getattr(point, written) == value
