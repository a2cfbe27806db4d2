"""Checks accumulators: however the deltas are cut, sums are the same; what shares a series combines by its rule."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

from kwitness.collector.core import Arrival, ZeroPeriod
from kwitness.collector.prometheus.accumulate import STALE_AFTER_PUSHES

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import (
    CREATION_SERIES,
    CREATION_TOTAL,
    CUMULATIVE,
    LATENCY_AVG,
    LATENCY_SERIES,
    add_number,
    counter_push,
    gauge_push,
    histogram_push,
    java_push,
)
from tests.collector.core_exposition import NO_ZEROS, WHO, core, samples, scrape


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10**12)), max_size=40), st.integers(1, 7))
def test_any_cut_of_deltas_gives_the_same_total(pushes: list[tuple[str, int]], pieces: int) -> None:
    whole, cut = core(), core()

    for client, amount in pushes:
        whole.apply(client, WHO, counter_push(amount))
        for index in range(pieces):
            part = amount // pieces + (amount % pieces if index == 0 else 0)
            cut.apply(client, WHO, counter_push(part))

    expected = sum(amount for _, amount in pushes) if pushes else None
    assert value(samples(whole), CREATION_SERIES) == value(samples(cut), CREATION_SERIES) == expected


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20))
def test_cumulative_values_give_the_same_total_as_their_deltas(steps: list[int]) -> None:
    one, running = core(), 0
    for step in steps:
        running += step
        one.apply("a", WHO, counter_push(running, temporality=CUMULATIVE, start_ns=1))

    assert value(samples(one), CREATION_SERIES) == sum(steps)


def test_a_restarted_cumulative_client_goes_on_from_where_it_was() -> None:
    one = core()
    for total, start in ((10, 1), (15, 1), (3, 2), (4, 2), (4, 2)):
        one.apply("a", WHO, counter_push(total, temporality=CUMULATIVE, start_ns=start))

    assert value(samples(one), CREATION_SERIES) == 15 + 4


def test_a_falling_cumulative_value_without_a_start_is_compared_alone() -> None:
    one = core()
    for total in (10, 14, 4, 6):
        one.apply("a", WHO, counter_push(total, temporality=CUMULATIVE))

    assert value(samples(one), CREATION_SERIES) == 4 + 2


def test_a_late_cumulative_value_of_an_earlier_start_adds_what_it_counted_and_nothing_twice() -> None:
    one = core()
    for total, start in ((10, 1), (3, 2), (12, 1), (11, 1), (5, 2), (12, 1), (5, 2)):
        one.apply("a", WHO, counter_push(total, temporality=CUMULATIVE, start_ns=start))

    assert value(samples(one), CREATION_SERIES) == 12 + 5


@given(st.lists(st.tuples(st.one_of(st.integers(0, 10**9), st.none()), st.booleans()), max_size=30))
def test_scrapes_see_a_rise_by_all_that_was_counted_though_every_second_fails(
    intervals: list[tuple[int | None, bool]],
) -> None:
    """In each interval something is pushed or nothing, and a scrape comes, which may be cut if the last one was not."""
    one, counted, seen, failed = core(), 0, [], False
    for now_ms, (amount, fails) in enumerate((*intervals, (None, False), (None, False), (None, False))):
        if amount is not None:
            counted += amount
            one.apply("a", WHO, counter_push(amount), arrival=Arrival(now_ms, None, 0))
        shown = value(parse(scrape(one, ZeroPeriod(now_ms, 2))), CREATION_SERIES)
        failed = fails and not failed
        if shown is not None and not failed:
            seen.append(shown)

    assert seen == sorted(seen)
    assert seen[:1] in ([], [0])
    assert (seen[-1] - seen[0] if seen else 0) == counted


def test_series_that_come_and_go_while_a_slow_reader_takes_its_time_do_not_break_the_page() -> None:
    one = core(max_series=10_000)
    for number in range(5_000):
        one.apply(str(number), {"client_id": f"client-{number}"}, gauge_push(LATENCY_AVG, 1.0))
    page = one.render(NO_ZEROS, openmetrics=False)
    begun = next(page)

    one.apply("new", {"client_id": "new"}, gauge_push(LATENCY_AVG, 1.0))
    for gone in ("4998", "4999"):
        one.depart(gone)

    assert len(parse((begun + b"".join(page)).decode())[LATENCY_SERIES]) == 5_000


def test_a_departed_instance_stays_in_a_sum_that_others_share_and_leaves_the_gauges() -> None:
    one = core()
    for client, latency in (("a", 10.0), ("b", 30.0)):
        one.apply(client, WHO, java_push(5, latency))
    assert value(samples(one), LATENCY_SERIES) == pytest.approx(0.02)
    assert value(samples(one), "kwitness_client_instances") == 2

    one.depart("a")

    assert value(samples(one), CREATION_SERIES) == 10
    assert value(samples(one), LATENCY_SERIES) == pytest.approx(0.03)
    one.depart("b")
    assert scrape(one) == ""
    assert one.counts().series == 0


@pytest.mark.parametrize(
    ("metric", "series", "expected"),
    [
        (LATENCY_AVG, LATENCY_SERIES, 0.002),
        (LATENCY_AVG.removesuffix("avg") + "max", LATENCY_SERIES.replace("avg", "max"), 0.003),
        ("org.apache.kafka.producer.connection.creation.rate", "kafka_client_producer_connection_creation_rate", 6),
        ("app.queue.depth", "app_queue_depth", 2),
    ],
)
def test_instances_that_share_a_series_combine_by_the_rule_of_the_metric(metric, series, expected) -> None:
    one = core()
    for client, number in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        one.apply(client, WHO, gauge_push(metric, number))

    assert value(samples(one), series) == pytest.approx(expected)


def test_an_average_of_nothing_does_not_spoil_the_others_average() -> None:
    one = core()
    one.apply("a", WHO, gauge_push(LATENCY_AVG, math.nan))
    only = value(samples(one), LATENCY_SERIES)
    assert only is not None
    assert math.isnan(only)

    one.apply("b", WHO, gauge_push(LATENCY_AVG, 4.0))

    assert value(samples(one), LATENCY_SERIES) == pytest.approx(0.004)


def test_every_attribute_of_a_point_is_kept() -> None:
    one = core()
    data = MetricsData()
    for partition in ("0", "1"):
        attributes = {"topic": "orders", "partition": partition}
        add_number(data, "org.apache.kafka.consumer.fetch.manager.records.lag", 4.0, attributes=attributes)
    one.apply("a", WHO, data.SerializeToString())

    found = samples(one)["kafka_client_consumer_fetch_manager_records_lag"]
    assert {dict(labels)["partition"] for labels in found} == {"0", "1"}


def test_a_gauge_that_is_no_longer_sent_ends_while_its_client_lives() -> None:
    one = core()
    one.apply("a", WHO, gauge_push("org.apache.kafka.consumer.fetch.manager.records.lag", 4.0, partition="0"))

    for _ in range(16 + STALE_AFTER_PUSHES):
        one.apply("a", WHO, counter_push(1))

    found = samples(one)
    assert value(found, "kafka_client_consumer_fetch_manager_records_lag") is None
    assert value(found, CREATION_SERIES) == 16 + STALE_AFTER_PUSHES


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=10))
def test_histograms_add_and_cumulative_ones_pass_through(steps: list[tuple[int, int, int]]) -> None:
    delta, cumulative = core(), core()
    running = [0, 0, 0]
    for step in steps:
        running = [old + new for old, new in zip(running, step, strict=True)]
        delta.apply("a", WHO, histogram_push(step, float(sum(step))))
        cumulative.apply("a", WHO, histogram_push(running, float(sum(running)), CUMULATIVE))

    name = "app_request_duration_seconds"
    for one in (delta, cumulative):
        found = samples(one)
        assert value(found, f"{name}_count") == sum(running)
        assert value(found, f"{name}_sum") == pytest.approx(sum(running))
        assert value(found, f"{name}_bucket", le="1.0") == running[0]
        assert value(found, f"{name}_bucket", le="+Inf") == sum(running)


def test_a_histogram_with_other_bounds_is_left_out_and_said() -> None:
    one = core()
    one.apply("a", WHO, histogram_push((1, 1, 1), 3.0))

    applied = one.apply("a", WHO, histogram_push((1, 1), 2.0, bounds=(2,)))

    assert applied.left_out == {"bounds": 1}
    assert value(samples(one), "app_request_duration_seconds_count") == 3


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_a_counter_never_falls_and_never_becomes_nan(bad: float) -> None:
    one = core()
    one.apply("a", WHO, counter_push(5))

    applied = one.apply("a", WHO, counter_push(bad))

    assert applied.left_out == {"invalid_value": 1}
    assert value(samples(one), CREATION_SERIES) == 5


def test_a_registry_counter_sent_as_a_gauge_is_still_a_counter() -> None:
    one = core()
    one.apply("a", WHO, gauge_push(CREATION_TOTAL, 5.0))
    one.apply("a", WHO, gauge_push(CREATION_TOTAL, 8.0))

    assert value(samples(one), CREATION_SERIES) == 3
    assert f"# TYPE {CREATION_SERIES} counter" in scrape(one)


def test_state_survives_being_written_and_read_as_json() -> None:
    one, other = core(), core()
    one.apply("a", WHO, java_push(5, 10.0))
    one.apply("b", WHO, counter_push(7, temporality=CUMULATIVE, start_ns=3))
    one.apply("a", WHO, histogram_push((1, 2, 3), 9.0, CUMULATIVE))

    other.load((json.loads(json.dumps(row)) for row in one.dump()), 0)

    assert parse(scrape(other)) == parse(scrape(one))
    for each in (one, other):
        each.apply("b", WHO, counter_push(9, temporality=CUMULATIVE, start_ns=3))
        each.apply("a", WHO, histogram_push((2, 2, 3), 10.0, CUMULATIVE))
        each.depart("a")
    assert parse(scrape(other)) == parse(scrape(one))
    assert other.counts().series == one.counts().series
    assert value(samples(other), CREATION_SERIES) == 14


def test_state_with_other_labels_is_not_taken_over() -> None:
    one, other = core(), core(labels=("client_id",))
    one.apply("a", WHO, java_push())

    other.load(one.dump(), 0)

    assert scrape(other) == ""


def test_openmetrics_has_the_same_samples_and_an_honest_type() -> None:
    one = core()
    one.apply("a", WHO, java_push(5, 10.0))
    one.apply("a", WHO, histogram_push((1, 2, 3), 9.0))

    families = list(parse_openmetrics(scrape(one, openmetrics=True) + "# EOF\n"))

    found = {sample.name: sample.value for family in families for sample in family.samples}
    assert found[CREATION_SERIES] == 5
    assert {family.name: family.type for family in families}[CREATION_SERIES.removesuffix("_total")] == "counter"
