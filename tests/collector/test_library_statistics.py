"""Statistics of client libraries become series: counts add up, levels are the last ones until they are too old."""

from __future__ import annotations

from kwitness.collector.prometheus.intercepted import InterceptedSeries
from kwitness.contracts.envelopes import InterceptionTotals

from tests.collector.collector_process import value
from tests.collector.interceptor_samples import intercepted, statistics
from tests.collector.test_intercepted_totals import NOW, PREFIX, reported, shown, window

WRITER = {"k8s_pod": "orders-1", "client_id": "orders"}
READER = {"k8s_pod": "orders-1", "client_id": "reader", "group_id": "billing"}


def test_counts_of_windows_add_up_and_times_are_in_seconds() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(), NOW)
    series.add(reported(), window(), NOW)

    samples = shown(series)

    for name in ("sent_bytes", "received_bytes", "request_retries", "request_timeouts", "disconnects", "round_trips"):
        assert value(samples, f"{PREFIX}{name}_total", **WRITER) == 4, name
    assert value(samples, f"{PREFIX}round_trip_seconds_total", **WRITER) == 6.0
    assert value(samples, f"{PREFIX}request_queue_seconds_total", **WRITER) == 1.0
    assert value(samples, f"{PREFIX}rebalances_total", **READER) == 2


def test_queues_and_lag_are_those_of_the_last_window_until_two_more_have_passed() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(), NOW)
    later = {**intercepted(2), "statistics": [statistics("orders", queued_records=0)]}
    series.add(reported(), InterceptionTotals.model_validate(later), NOW + 1_000)

    samples = shown(series, NOW + 2_000)

    assert value(samples, f"{PREFIX}queued_records", **WRITER) == 0
    assert value(samples, f"{PREFIX}queue_limit_records", **WRITER) == 100_000
    assert value(samples, f"{PREFIX}topic_queued_bytes", **WRITER, topic="orders") == 400
    assert value(samples, f"{PREFIX}fetched_records", **READER) == 9
    assert value(samples, f"{PREFIX}consumer_lag_records", **READER, topic="orders") == 30
    assert f"{PREFIX}queued_records" not in shown(series, NOW + 122_000)


def test_what_a_library_does_not_report_has_no_series() -> None:
    series = InterceptedSeries(1_000)
    nothing = {"seq": 1, "statistics": [{"client_id": "a"}], "topic_statistics": [{"topic": "t", "client_id": "a"}]}
    series.add(reported(), InterceptionTotals.model_validate(nothing), NOW)

    assert shown(series) == {}
