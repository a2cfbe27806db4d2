"""Checks that attributes are a set, that points without a value measure nothing, and whose names cannot be taken."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CUMULATIVE, add_number, batch, gauge_push, push

Start = Callable[..., CollectorProcess]


def test_series_of_one_set_of_attributes_live_on_and_points_without_a_value_count_nothing(start: Start) -> None:
    collector = start()
    payloads = [_cumulative(10, "ab"), _cumulative(20, "ba"), _cumulative(None, "ab"), _cumulative(30, "ba")]
    payloads += [gauge_push("app.both", 1.0, **{"a.b": "x"})]
    payloads += [gauge_push("app.both", 2.0, a_b="x") for _ in range(32)]
    payloads += [_gauge_without_value()]
    payloads += [gauge_push(name, 0.0) for name in ("up", "ALERTS", "scrape.samples", "-up-")]
    payloads += [gauge_push("scrape", 1.0, unit="s"), gauge_push("kwitness", 1.0, unit="s")]
    assert collector.push(batch(push(seq, payload) for seq, payload in enumerate(payloads, start=1))).status == 200

    found = collector.scrape()
    assert list(found["app_count_total"].values()) == [30]
    assert list(found["app_both"].values()) == [2]
    assert "app_none" not in found
    assert not {"up", "ALERTS", "scrape_samples", "scrape_seconds", "kwitness_seconds"} & set(found)
    assert {"sent_up", "sent_ALERTS", "sent_scrape_samples", "sent_scrape_seconds"} <= set(found)


def _cumulative(value: int | None, order: str) -> bytes:
    data = MetricsData()
    add_number(data, "app.count", value or 0, attributes=dict.fromkeys(order, "x"), temporality=CUMULATIVE, start_ns=1)
    if value is None:
        data.resource_metrics[0].scope_metrics[0].metrics[0].sum.data_points[0].ClearField("as_int")
    return data.SerializeToString()


def _gauge_without_value() -> bytes:
    data = MetricsData.FromString(gauge_push("app.none", 1.0))
    data.resource_metrics[0].scope_metrics[0].metrics[0].gauge.data_points[0].ClearField("as_double")
    return data.SerializeToString()
