"""Observers' totals as series, and observers as they come and go."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from kwitness.collector.core import ZeroPeriod
from kwitness.collector.inventory.observers import FORGET_AFTER_MS, SILENT_AFTER_MS, Observers
from kwitness.collector.inventory.software import SoftwareKey
from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.observed import IDLE_MS, ObservedTotals, parts_of
from kwitness.contracts.envelopes import EventsHead, WindowTotals

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import CLUSTER
from tests.collector.core_exposition import NO_ZEROS
from tests.collector.event_samples import connections, head, totals

RECORDS = "kafka_client_records_total"
NOW = 1_760_000_000_000
GATEWAY = Origin(CLUSTER)


def pod(number: int, workload: str = "orders") -> Origin:
    return Origin(CLUSTER, "shop", workload, f"{workload}-{number}")


def window(records: int = 10, **client: Any) -> WindowTotals:
    return WindowTotals.model_validate(totals(1, records, **client))


def shown(observed: ObservedTotals, zeros: ZeroPeriod = NO_ZEROS) -> Any:
    return parse(b"".join(observed.render(zeros, openmetrics=False)).decode())


@pytest.mark.parametrize("step_ms", [0, -7_200_000, 7_200_000])
def test_a_new_series_is_zero_so_that_increase_counts_what_came_before_though_the_clock_is_set(step_ms: int) -> None:
    observed = ObservedTotals(100)
    observed.add(GATEWAY, window(10), NOW)

    observed.clock_was_set(step_ms)
    pages = [shown(observed, ZeroPeriod(NOW + step_ms + age_ms, 60_000)) for age_ms in (0, 59_999, 60_000)]

    assert [value(page, RECORDS) for page in pages] == [0, 0, 10]
    assert [value(page, "kafka_client_response_time_seconds_count") for page in pages] == [0, 0, 3]


def test_beyond_the_budget_sums_are_kept_under_other() -> None:
    observed = ObservedTotals(40)
    for number in range(50):
        observed.add(GATEWAY, window(number, client_id=f"client-{number}"), NOW)

    samples = shown(observed)

    assert value(samples, RECORDS) == sum(range(50))
    rest = value(samples, RECORDS, client_id="other", principal="other", api="other", cluster_id=CLUSTER)
    assert rest is not None
    assert 0 < rest < sum(range(50))
    assert observed.series <= 40
    assert observed.overflowed > 0


def test_a_sidecars_series_say_whose_pod_it_is_and_a_gateways_do_not() -> None:
    observed = ObservedTotals(100)
    observed.add(pod(1), window(10), NOW)
    observed.add(GATEWAY, window(5), NOW)

    samples = shown(observed)

    place = {"k8s_namespace": "shop", "k8s_workload": "orders"}
    assert value(samples, RECORDS, **place, k8s_pod="orders-1") == 10
    assert value(samples, "kafka_client_api_errors_total", **place, k8s_pod="orders-1") == 1
    times = samples["kafka_client_response_time_seconds_count"]
    assert sorted(dict(labels).get("k8s_workload", "") for labels in times) == ["", "orders"]
    [gateway] = [labels for labels, count in samples[RECORDS].items() if count == 5]
    assert not {name for name, _ in gateway if name.startswith("k8s_")}


def test_beyond_half_of_the_budget_pods_share_a_series_and_workloads_stay_apart() -> None:
    observed = ObservedTotals(200)
    for number in range(50):
        observed.add(pod(number), window(1), NOW)
    observed.add(pod(0, "billing"), window(7), NOW)

    samples = shown(observed)

    pods = {dict(labels)["k8s_pod"] for labels in samples[RECORDS]}
    assert value(samples, RECORDS, k8s_workload="orders") == 50
    assert value(samples, RECORDS, k8s_workload="billing", k8s_pod="other") == 7
    assert {"orders-0", "other"} < pods
    assert "orders-49" not in pods
    assert observed.overflowed == 0
    assert observed.pods_overflowed > 0


def test_beyond_the_whole_budget_a_sidecars_sums_are_under_other_apart_from_a_gateways() -> None:
    observed = ObservedTotals(0)
    observed.add(pod(1), window(10), NOW)
    observed.add(GATEWAY, window(5), NOW)

    samples = shown(observed)

    assert value(samples, RECORDS, k8s_namespace="other", k8s_pod="other") == 10
    assert value(samples, RECORDS) == 15
    assert observed.series == 0


def test_series_of_pods_that_are_gone_make_room_for_those_of_others() -> None:
    observed = ObservedTotals(200)
    for number in range(50):
        observed.add(pod(number), window(1), NOW)
    observed.expire(NOW + IDLE_MS + 1)

    observed.add(pod(50), window(3), NOW + IDLE_MS + 1)

    samples = shown(observed)
    assert {dict(labels)["k8s_pod"] for labels in samples[RECORDS]} == {"orders-50"}


def test_what_a_client_calls_itself_is_bounded_and_escaped() -> None:
    observed = ObservedTotals(100)
    for name in ('"} 1\nevil 1', "x" * 30_000, "\ud800"):
        entry = {**totals(1)["traffic"][0], "client_id": name}
        observed.add(
            GATEWAY,
            WindowTotals.model_construct(seq=1, end_ms=None, traffic=(_traffic(entry),), apis=(), times=()),
            NOW,
        )

    samples = shown(observed)

    assert len(samples[RECORDS]) == 3
    assert all(len(dict(labels)["client_id"]) <= 128 for labels in samples[RECORDS])


def _traffic(entry: dict[str, Any]) -> Any:
    model = WindowTotals.model_validate({"seq": 1, "traffic": [{**entry, "client_id": "known"}]}).traffic[0]
    return model.model_copy(update={"client_id": entry["client_id"]})


def test_a_series_that_nothing_was_added_to_for_an_hour_ends_and_makes_room() -> None:
    observed = ObservedTotals(100)
    observed.add(GATEWAY, window(10, client_id="old"), NOW)
    observed.add(GATEWAY, window(10, client_id="new"), NOW + IDLE_MS)
    before = observed.series

    observed.expire(NOW + IDLE_MS + 1)

    samples = shown(observed)
    assert {dict(labels)["client_id"] for labels in samples[RECORDS]} == {"new"}
    assert observed.series < before
    assert observed.series == sum(len(found) for name, found in samples.items() if not name.endswith("_created"))


def _behind(
    seq: int, lag: int | None, end_ms: int | None = NOW, held: int | None = None, lag_ms: int | None = None
) -> WindowTotals:
    lags = {"fetch_lag": lag, "fetch_lag_ms": lag_ms, "held_by_transaction": held}
    entry = {**totals(seq)["traffic"][0], "api": "Fetch", **lags}
    return WindowTotals.model_validate({"seq": seq, "end_ms": end_ms, "traffic": [entry]})


LAG = "kafka_client_fetch_lag_records"


def _lag(observed: ObservedTotals, now_ms: int) -> float | None:
    samples = shown(observed, ZeroPeriod(now_ms, 0))
    return value(samples, LAG) if LAG in samples else None


def test_the_fetch_lag_is_the_largest_of_the_last_minute_whatever_thread_or_pod_reports_it() -> None:
    observed = ObservedTotals(100)
    observed.add(GATEWAY, _behind(1, 900, held=3, lag_ms=1_500), NOW, "shop/front-0")
    observed.add(GATEWAY, _behind(2, 20, NOW + 10_000), NOW + 10_000, "shop/front-0")
    observed.add(GATEWAY, _behind(2, 40, NOW + 10_000), NOW + 10_000, "shop/front-1")

    page = shown(observed, ZeroPeriod(NOW, 0))
    assert value(page, "kafka_client_held_by_transaction_records") == 3
    assert value(page, "kafka_client_fetch_lag_seconds") == 1.5
    assert [_lag(observed, NOW + after_ms) for after_ms in (59_999, 60_000, 69_999)] == [900, 40, 40]


def test_produce_requests_are_counted_by_acks_and_those_of_idempotent_producers_apart() -> None:
    observed = ObservedTotals(100)
    for acks, idempotent in (({"1": 3}, 0), ({"1": 1, "all": 2}, 2)):
        [api] = totals(1)["apis"]
        counted = {**api, "acks": acks, "idempotent_requests": idempotent, "empty_responses": 1}
        observed.add(GATEWAY, WindowTotals.model_validate({"seq": 1, "apis": [counted]}), NOW)

    samples = shown(observed)

    by_acks = [value(samples, "kafka_client_produce_requests_total", acks=acks) for acks in ("1", "all")]
    assert by_acks == [4, 2]
    assert value(samples, "kafka_client_idempotent_produce_requests_total") == 2
    assert "kafka_client_empty_responses_total" not in samples, "of Fetch and ShareFetch alone"


def test_empty_responses_add_up_and_the_longest_gap_is_that_of_the_last_minute_in_seconds() -> None:
    observed = ObservedTotals(100)
    for api_name, number, gap_us in (("Fetch", 1, 2_500_000), ("Fetch", 2, 1_500_000), ("ShareFetch", 4, 0)):
        api = {"api": api_name, "requests": 9, "empty_responses": number, "longest_gap_us": gap_us}
        late_ms = NOW + number * 10_000
        observed.add(GATEWAY, WindowTotals.model_validate({"seq": number, "end_ms": late_ms, "apis": [api]}), late_ms)

    pages = [shown(observed, ZeroPeriod(NOW + after_ms, 0)) for after_ms in (69_999, 70_000)]

    empty, gap = "kafka_client_empty_responses_total", "kafka_client_longest_fetch_gap_seconds"
    assert [value(pages[0], empty, api=api) for api in ("Fetch", "ShareFetch")] == [3, 4]
    assert [value(page, gap) for page in pages] == [2.5, 1.5]


def test_the_committed_lag_of_a_group_is_the_largest_of_the_last_minute() -> None:
    observed = ObservedTotals(100)
    for seq, lag in ((1, 900), (2, 20)):
        late_ms = NOW + seq * 10_000
        group = {"group_id": "readers", "topic": "orders", "committed_lag": lag, "committed_lag_ms": 100 * lag}
        observed.add(GATEWAY, WindowTotals.model_validate({"seq": seq, "end_ms": late_ms, "groups": [group]}), late_ms)

    pages = [shown(observed, ZeroPeriod(NOW + after_ms, 0)) for after_ms in (69_999, 70_000)]

    of_group = {"cluster_id": CLUSTER, "topic": "orders", "group_id": "readers"}
    assert [value(page, "kafka_client_group_committed_lag_records", **of_group) for page in pages] == [900, 20]
    assert [value(page, "kafka_client_group_committed_lag_seconds", **of_group) for page in pages] == [90, 2]


def test_commits_that_went_back_add_up_by_who_committed_and_the_longest_way_is_of_the_last_minute() -> None:
    observed = ObservedTotals(100)
    for seq, client_id, most in ((1, "member", 900), (2, "member", 20), (3, "admin", 7)):
        back = {"group_id": "readers", "client_id": client_id, "commits": seq, "most_records": most}
        late_ms = NOW + seq * 10_000
        window = {"seq": seq, "end_ms": late_ms, "commits_back": [{**back, "topic": "orders"}, back]}
        observed.add(GATEWAY, WindowTotals.model_validate(window), late_ms)

    pages = [shown(observed, ZeroPeriod(NOW + after_ms, 0)) for after_ms in (69_999, 70_000)]

    of_group = {"cluster_id": CLUSTER, "group_id": "readers", "topic": "orders"}
    commits, records = "kafka_client_group_commits_back_total", "kafka_client_group_commits_back_records"
    assert [value(pages[0], commits, client_id=client_id, **of_group) for client_id in ("member", "admin")] == [3, 3]
    assert value(pages[0], commits) == 12
    assert [value(page, records, client_id="member", **of_group) for page in pages] == [900, 20]


def test_a_fetch_lag_of_more_than_a_minute_ago_or_that_is_not_known_is_absent_and_not_zero() -> None:
    observed = ObservedTotals(100)
    observed.add(GATEWAY, _behind(1, None), NOW)
    observed.add(GATEWAY, _behind(2, 900, NOW - 60_000), NOW)
    assert _lag(observed, NOW) is None

    observed.add(GATEWAY, _behind(3, 0), NOW)
    assert [_lag(observed, NOW + after_ms) for after_ms in (59_999, 60_000)] == [0, None]


def test_a_window_in_parts_adds_up_to_the_window() -> None:
    entries = totals(1)
    whole = WindowTotals.model_validate({**entries, "traffic": entries["traffic"] * 7, "times": entries["times"] * 4})
    observed = ObservedTotals(100)

    parts = list(parts_of(whole, 3))
    for part in parts:
        observed.add(GATEWAY, part, NOW)

    assert [len(one.traffic) + len(one.apis) + len(one.times) for one in parts] == [3, 3, 1, 1, 3, 1]
    samples = shown(observed)
    assert value(samples, RECORDS) == 70
    assert value(samples, "kafka_client_api_requests_total") == 3
    assert value(samples, "kafka_client_response_time_seconds_count") == 12


def test_openmetrics_reads_it() -> None:
    observed = ObservedTotals(100)
    observed.add(GATEWAY, window(10), NOW)

    text = b"".join(observed.render(NO_ZEROS, openmetrics=True)).decode() + "# EOF\n"

    families = {family.name: family.type for family in text_string_to_metric_families(text)}
    assert families["kafka_client_records"] == "counter"
    assert families["kafka_client_response_time_seconds"] == "histogram"


def told_apart(software: SoftwareKey) -> SoftwareKey:
    return software


def heartbeat(**more: Any) -> EventsHead:
    return EventsHead.model_validate(head(**more))


def test_an_observer_that_is_silent_has_no_connections_and_is_then_forgotten() -> None:
    observers = Observers()
    observers.record(heartbeat(connections=connections(2)), NOW)

    assert observers.connections(NOW + SILENT_AFTER_MS, told_apart).total() == 2
    assert observers.connections(NOW + SILENT_AFTER_MS + 1, told_apart).total() == 0
    observers.expire(NOW + FORGET_AFTER_MS)
    assert len(observers.known()) == 1
    observers.expire(NOW + FORGET_AFTER_MS + 1)
    assert observers.known() == []


def test_a_restarted_observer_replaces_itself_also_when_its_clock_went_back() -> None:
    observers = Observers()
    observers.record(heartbeat(epoch=10, connections=connections(2)), NOW)

    assert not observers.record(heartbeat(epoch=9, connections=connections(5)), NOW + 5_000)
    assert observers.connections(NOW + 5_000, told_apart).total() == 2
    assert observers.record(heartbeat(epoch=9, connections=connections(3)), NOW + 20_000)
    assert observers.record(heartbeat(epoch=11, connections=connections(4)), NOW + 20_001)
    assert observers.connections(NOW + 20_001, told_apart).total() == 4


def test_observers_are_bounded_and_the_one_silent_longest_goes() -> None:
    observers = Observers(max_observers=2)
    for number in range(3):
        observers.record(heartbeat(source=f"shop/app-{number}"), NOW + number)

    assert [one.pod for one in observers.known()] == ["app-1", "app-2"]
