"""Interceptors' totals as series, and reporters as they come and go."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from kwitness.collector.core import ZeroPeriod
from kwitness.collector.inventory.reporters import FORGET_AFTER_MS, SILENT_AFTER_MS, Reporters
from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import IDLE_MS, MAX_VOICES, Level
from kwitness.collector.prometheus.intercepted import InterceptedSeries, Reported, parts_of, trouble_with_bounds
from kwitness.contracts.envelopes import InterceptionTotals, InterceptorsHead
from kwitness.contracts.interceptors import ATTRIBUTE_LABEL
from kwitness.contracts.own_metrics import OWN_METRICS

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import CLUSTER
from tests.collector.core_exposition import NO_ZEROS
from tests.collector.interceptor_samples import LATENCY_COUNTS, REPORTER, intercepted, interceptors_head

PREFIX = "kafka_client_interceptor_"
KEYS = f"{PREFIX}distinct_keys"
NOW = 1_760_000_000_000


def reported(number: int = 1, reporter: str = REPORTER) -> Reported:
    return Reported(Origin(CLUSTER, "shop", "orders", f"orders-{number}"), "shop", "front", reporter)


def window(sent: int = 10, **more: Any) -> InterceptionTotals:
    return InterceptionTotals.model_validate(intercepted(1, sent, **more))


def shown(series: InterceptedSeries, now_ms: int = NOW) -> Any:
    return parse(b"".join(series.render(ZeroPeriod(now_ms, 0), openmetrics=False)).decode())


def test_what_interceptors_count_is_shown_by_pod_topic_client_and_group() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(10), NOW)
    series.add(reported(), window(20), NOW)

    samples = shown(series)

    pod = {"k8s_namespace": "shop", "k8s_workload": "orders", "k8s_pod": "orders-1", "topic": "orders"}
    assert value(samples, f"{PREFIX}sent_records_total", **pod, client_id="orders") == 30
    assert value(samples, f"{PREFIX}acknowledged_records_total", **pod) == 28
    assert value(samples, f"{PREFIX}failed_records_total", **pod, reason="MESSAGE_TOO_LARGE") == 2
    assert value(samples, f"{PREFIX}consumed_records_total", **pod, group_id="billing") == 28
    assert value(samples, f"{PREFIX}commits_total", **pod, group_id="billing") == 2
    assert value(samples, f"{PREFIX}anomalies_total", **pod, reason="negative_latency") == 2
    assert value(samples, "kwitness_interceptor_dropped_events_total", namespace="shop", name="front") == 4


def test_distributions_are_shown_by_workload_in_base_units() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(1), window(12), NOW)
    series.add(reported(2), window(12), NOW)

    samples = shown(series)

    workload = {"k8s_workload": "orders", "topic": "orders"}
    assert value(samples, f"{PREFIX}end_to_end_latency_seconds_count", **workload, group_id="billing") == 20
    assert value(samples, f"{PREFIX}end_to_end_latency_seconds_sum", **workload) == pytest.approx(0.12)
    assert value(samples, f"{PREFIX}end_to_end_latency_seconds_bucket", **workload, le="0.01") == 20
    assert value(samples, f"{PREFIX}end_to_end_latency_seconds_bucket", **workload, le="0.005") == 0
    assert value(samples, f"{PREFIX}acknowledgement_seconds_count", **workload) == 22
    assert value(samples, f"{PREFIX}record_size_bytes_sum", **workload, side="producer") == 2_400
    assert value(samples, f"{PREFIX}record_size_bytes_bucket", **workload, le="256.0") == 24


def test_time_in_hooks_is_shown_in_seconds() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(10), NOW)

    samples = shown(series)

    hook = {"interceptor": "audit", "hook": "on_send", "k8s_pod": "orders-1"}
    assert value(samples, f"{PREFIX}hook_seconds_total", **hook) == 1.0
    assert value(samples, f"{PREFIX}hook_calls_total", **hook) == 10
    assert value(samples, f"{PREFIX}hook_errors_total", **hook) == 1


def test_distinct_keys_of_a_pod_are_the_largest_of_its_reporters_until_two_windows_have_passed() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(1, "a" * 16), window(distinct=7), NOW)
    series.add(reported(1, "b" * 16), window(distinct=5), NOW + 60_000)
    series.add(reported(2, "c" * 16), window(distinct=9), NOW + 60_000)

    assert value(shown(series), KEYS, k8s_pod="orders-1") == 7
    assert value(shown(series), KEYS, k8s_pod="orders-2") == 9

    assert value(shown(series, NOW + 120_000), KEYS, k8s_pod="orders-1") == 5

    assert KEYS not in shown(series, NOW + 180_000)


def test_a_reporter_that_says_less_than_before_lowers_its_pods_distinct_keys() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(distinct=7), NOW)
    series.add(reported(), window(distinct=3), NOW)

    assert value(shown(series), KEYS, k8s_pod="orders-1") == 3


def test_of_many_reporters_the_ones_that_say_most_are_remembered() -> None:
    level = Level()
    for number in range(2 * MAX_VOICES):
        level.put((f"{number:016x}",), number % 100, NOW + 1, NOW)

    assert len(level.said) == MAX_VOICES
    assert level.largest(NOW) == 99


def with_team(team: str, number: int = 1) -> Reported:
    return reported(number)._replace(attributes={"team": team, "tier": "gold"})


def test_what_interceptors_count_has_the_attributes_that_are_named_as_labels() -> None:
    series = InterceptedSeries(10_000, ("team", "k8s_pod"))
    series.add(with_team("shop", 1), window(10), NOW)
    series.add(with_team("billing", 2), window(12), NOW)

    samples = shown(series)

    own = {name: found for name, found in samples.items() if name.startswith(PREFIX)}
    assert {dict(labels)["attribute_team"] for found in own.values() for labels in found} == {"shop", "billing"}
    assert value(samples, f"{PREFIX}end_to_end_latency_seconds_count", attribute_team="shop") == 8
    assert value(samples, f"{PREFIX}queued_records", attribute_team="billing", client_id="orders") == 4
    names = {name for found in samples.values() for labels in found for name, _ in labels}
    assert not names & {"attribute_tier", "attribute_k8s_pod"}
    assert value(samples, "kwitness_interceptor_dropped_events_total", name="front") == 4


def test_no_own_label_begins_as_those_of_attributes_do() -> None:
    assert not [label for metric in OWN_METRICS for label in metric.labels if label.startswith(ATTRIBUTE_LABEL)]


def test_beyond_the_budget_attributes_are_other() -> None:
    series = InterceptedSeries(100, ("team",))
    for number in range(50):
        series.add(with_team(f"team-{number}"), window(2 + number), NOW)

    samples = shown(series)

    name = f"{PREFIX}sent_records_total"
    assert value(samples, name) == sum(range(2, 52))
    assert value(samples, name, attribute_team="other", topic="other") is not None


def test_other_attributes_begin_all_series_again_within_the_same_budget() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(10), NOW)
    before = series.series

    series.label_by(("team",))
    assert (series.series, shown(series)) == (0, {})
    series.add(with_team("shop"), window(10), NOW)
    series.label_by(("team",))

    assert series.series == before
    assert value(shown(series), f"{PREFIX}sent_records_total", attribute_team="shop") == 10


def test_beyond_the_budget_distinct_keys_are_the_largest_of_all_topics() -> None:
    series = InterceptedSeries(0)
    window_of = InterceptionTotals.model_validate
    for topic, distinct in (("orders", 7), ("payments", 3)):
        key = {"side": "producer", "topic": topic, "distinct": distinct, "window_ms": 60_000}
        series.add(reported(), window_of({"seq": 1, "keys": [key]}), NOW)

    assert value(shown(series), KEYS, topic="other") == 7


def test_beyond_the_budget_counts_are_kept_under_other() -> None:
    series = InterceptedSeries(100)
    for number in range(50):
        series.add(reported(number), window(2 + number, client_id=f"client-{number}"), NOW)

    samples = shown(series)

    name = f"{PREFIX}sent_records_total"
    assert value(samples, name) == sum(range(2, 52))
    assert value(samples, name, k8s_pod="other", cluster_id=CLUSTER) is not None
    assert series.series <= 100
    assert series.overflowed > 0


def test_series_that_nothing_is_added_to_end_and_make_room() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(1), window(), NOW)
    before = series.series

    series.expire(NOW + IDLE_MS + 1)

    assert before > 0
    assert series.series == 0
    assert shown(series) == {}


def test_parts_of_a_window_add_up_to_it() -> None:
    whole = InterceptedSeries(1_000)
    divided = InterceptedSeries(1_000)
    whole.add(reported(), window(), NOW)

    parts = list(parts_of(window(), 1))
    for part in parts:
        divided.add(reported(), part, NOW)

    assert len(parts) == 13
    assert shown(divided) == shown(whole)


@pytest.mark.parametrize(("list_", "counts"), [("latencies", LATENCY_COUNTS - 1), ("sizes", LATENCY_COUNTS + 1)])
def test_a_window_with_other_bounds_is_refused_with_the_list(list_: str, counts: int) -> None:
    totals = intercepted(1)
    totals[list_][0]["counts"] = [1] * counts

    assert trouble_with_bounds(window()) is None
    assert str(trouble_with_bounds(InterceptionTotals.model_validate(totals))).startswith(f"{list_} must have")


def test_openmetrics_takes_all_families() -> None:
    series = InterceptedSeries(1_000)
    series.add(reported(), window(), NOW)

    text = b"".join(series.render(NO_ZEROS, openmetrics=True)).decode() + "# EOF\n"

    assert {family.name for family in text_string_to_metric_families(text)} >= {
        f"{PREFIX}sent_records",
        f"{PREFIX}end_to_end_latency_seconds",
        KEYS,
    }


def heartbeat(**more: Any) -> InterceptorsHead:
    return InterceptorsHead.model_validate(interceptors_head(**more))


def test_reporters_are_counted_by_profile_and_runtime_while_they_are_heard() -> None:
    reporters = Reporters()
    reporters.record(heartbeat(), NOW)
    reporters.record(heartbeat(reporter="b" * 16, runtime="python"), NOW)

    key = (CLUSTER, "shop", "front", "java")
    assert reporters.reporting(NOW) == {key: 1, (*key[:3], "python"): 1}
    assert reporters.clients(NOW)[key, "producer"] == 2
    assert dict(reporters.clients_without(NOW))[key] == {"share_group": 1}
    assert reporters.reporting(NOW + SILENT_AFTER_MS + 1) == {}


def test_a_reporter_that_is_not_heard_of_any_more_ended_uncertainly_and_one_with_a_last_word_did_not() -> None:
    reporters = Reporters()
    reporters.record(heartbeat(), NOW)
    reporters.record(heartbeat(reporter="b" * 16), NOW)
    reporters.record(heartbeat(reporter="b" * 16, state={"ended": True}), NOW)

    reporters.expire(NOW + FORGET_AFTER_MS + 1)

    assert reporters.uncertain == {(CLUSTER, "shop", "front"): 1}
    assert reporters.heard(NOW) == []


def test_a_late_heartbeat_changes_nothing_but_the_time() -> None:
    reporters = Reporters()
    reporters.record(heartbeat(sent_at_ms=2, state={"clients": [{"side": "producer", "clients": 5}]}), NOW)
    reporters.record(heartbeat(sent_at_ms=1, state={"clients": []}), NOW + SILENT_AFTER_MS)

    later = NOW + SILENT_AFTER_MS + 1
    assert reporters.clients(later)[(CLUSTER, "shop", "front", "java"), "producer"] == 5


def test_there_is_room_for_so_many_reporters_and_the_least_recently_heard_from_gives_way() -> None:
    reporters = Reporters(max_reporters=2)
    for number in range(3):
        reporters.record(heartbeat(reporter=f"{number:016x}"), NOW + number)

    assert {one.reporter for one in reporters.heard(NOW + 3)} == {f"{1:016x}", f"{2:016x}"}
