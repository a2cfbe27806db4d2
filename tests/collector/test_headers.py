"""Record headers as series, and what is wrong with them as findings, both bounded."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.collector.inventory.header_problems import FORGET_AFTER_MS, HeaderProblems
from kwitness.collector.inventory.header_report import with_headers
from kwitness.collector.inventory.reports import merge_clusters
from kwitness.collector.origin import Origin
from kwitness.collector.prometheus.budget import IDLE_MS
from kwitness.collector.prometheus.headers import HeaderSeries
from kwitness.collector.prometheus.intercepted import parts_of
from kwitness.collector.prometheus.observed import parts_of as observed_parts_of
from kwitness.contracts.envelopes import ClusterState, HeaderTotals, InterceptionTotals, WindowTotals

from tests.collector.collector_process import parse, value
from tests.collector.core_exposition import NO_ZEROS
from tests.collector.interceptor_samples import header

CLUSTER = "4L6g3nShT-eMCtK--X86sw"
NOW = 1_760_000_000_000
MINUTE = 60_000
POD = Origin(CLUSTER, "shop", "orders", "orders-1")
GATEWAY = Origin(CLUSTER)
HEADERS = "kafka_client_headers_total"
PROBLEMS = "kafka_client_header_problems_total"


def of(headers: int = 10, **more: Any) -> HeaderTotals:
    return HeaderTotals.model_validate(header(headers, **more))


def shown(series: HeaderSeries) -> Any:
    return parse(b"".join(series.render(NO_ZEROS, openmetrics=False)).decode())


def part(problems: HeaderProblems, now_ms: int = NOW) -> ClusterState:
    return with_headers(ClusterState(cluster_id=CLUSTER), problems, now_ms)


def recorded(
    *entries: HeaderTotals, origin: Origin = POD, now_ms: int = NOW, problems: HeaderProblems | None = None
) -> HeaderProblems:
    found = problems or HeaderProblems()
    for one in entries:
        found.record(origin, "java", one, now_ms)
    return found


def test_headers_are_counted_by_workload_topic_and_key() -> None:
    series = HeaderSeries(100)
    for number in (1, 2):
        series.add(POD._replace(k8s_pod=f"orders-{number}"), "java", of(), NOW)
    series.add(GATEWAY, "observer", of(5, side="consumer", problems={}, removed=0), NOW)

    samples = shown(series)

    where = {"cluster_id": CLUSTER, "k8s_namespace": "shop", "k8s_workload": "orders", "seen_by": "java"}
    labels = {**where, "side": "producer", "topic": "orders", "key": "trace-id"}
    assert samples[HEADERS] == {
        frozenset(labels.items()): 20,
        frozenset(
            {
                "cluster_id": CLUSTER,
                "seen_by": "observer",
                "side": "consumer",
                "topic": "orders",
                "key": "trace-id",
            }.items()
        ): 5,
    }
    assert value(samples, "kafka_client_header_bytes_total", **labels) == 320
    assert samples[PROBLEMS] == {frozenset({**labels, "problem": "wrong_type"}.items()): 2}
    assert samples["kafka_client_headers_removed_total"] == {
        frozenset({**where, "topic": "orders", "key": "trace-id"}.items()): 2
    }


def test_keys_that_are_too_many_at_the_client_are_other_and_an_empty_key_is_one_of_its_own() -> None:
    series = HeaderSeries(100)
    series.add(POD, "java", of(key=None, topic=None), NOW)
    series.add(POD, "java", of(3, key=""), NOW)

    samples = shown(series)

    assert value(samples, HEADERS, key="other", topic="other") == 10
    assert value(samples, HEADERS, topic="orders") == 3


def test_beyond_the_budget_sums_are_kept_under_other() -> None:
    series = HeaderSeries(10)
    for number in range(100_000):
        series.add(POD, "java", of(2, key=f"key-{number}"), NOW)

    samples = shown(series)

    assert value(samples, HEADERS) == 200_000
    assert (value(samples, HEADERS, key="other") or 0) > 199_000
    assert series.series <= 10
    assert sum(map(len, samples.values())) <= 10 + 4
    assert series.overflowed > 0


def test_series_that_nothing_is_added_to_end() -> None:
    series = HeaderSeries(100)
    series.add(POD, "java", of(), NOW)

    series.expire(NOW + IDLE_MS + 1)

    assert (series.series, shown(series)) == (0, {})


def test_parts_of_windows_have_the_headers_once() -> None:
    entries = [header(key=f"key-{number}") for number in range(7)]
    intercepted = InterceptionTotals.model_validate({"seq": 1, "headers": entries})
    observed = WindowTotals.model_validate({"seq": 1, "headers": entries})

    for parts in (list(parts_of(intercepted, 3)), list(observed_parts_of(observed, 3))):
        assert [len(one.headers) for one in parts] == [3, 3, 1]
        assert [one.key for window in parts for one in window.headers] == [one["key"] for one in entries]


def test_a_finding_says_what_is_wrong_where_who_it_is_of_and_since_when() -> None:
    problems = recorded(of(problems={"wrong_type": 1, "testing_id": 10}), of(key="fine", problems={}, removed=0))
    recorded(of(problems={"wrong_type": 4}), now_ms=NOW + MINUTE, problems=problems)

    found = {one.problem: one for one in part(problems, NOW + MINUTE).headers}

    assert found["wrong_type"].model_dump(exclude_none=True) == {
        "side": "producer",
        "topic": "orders",
        "key": "trace-id",
        "problem": "wrong_type",
        "k8s_namespace": "shop",
        "k8s_workload": "orders",
        "k8s_pod": "orders-1",
        "seen_by": "java",
        "first_seen_ms": NOW,
        "last_seen_ms": NOW + MINUTE,
        "headers": 5,
        "removed": 2,
    }
    assert set(found) == {"wrong_type", "testing_id"}


def test_of_an_observer_that_is_not_beside_the_client_the_client_id_says_who_it_is() -> None:
    [found] = part(recorded(of(client_id="billing" * 100), origin=GATEWAY)).headers

    assert (found.k8s_pod, found.k8s_namespace, found.k8s_workload) == (None, None, None)
    assert found.client_id == ("billing" * 100)[:256]


def test_a_problem_that_counts_nothing_is_none() -> None:
    assert part(recorded(of(problems={"wrong_type": 0}))).headers == ()


def test_counts_are_of_the_last_hour_and_what_does_not_come_again_for_an_hour_is_forgotten() -> None:
    problems = recorded(of(problems={"wrong_type": 100}))
    recorded(of(problems={"wrong_type": 7}), now_ms=NOW + 50 * MINUTE, problems=problems)

    later = NOW + 65 * MINUTE
    problems.expire(later)
    [found] = part(problems, later).headers
    assert (found.headers, found.first_seen_ms) == (7, NOW)

    problems.expire(NOW + 50 * MINUTE + FORGET_AFTER_MS)
    assert part(problems, NOW + 50 * MINUTE + FORGET_AFTER_MS).headers == ()


def test_beyond_the_room_what_is_known_stays_and_what_finds_none_is_counted() -> None:
    problems = HeaderProblems(max_problems=3, max_of_client=2)
    recorded(*(of(key=f"key-{number}") for number in range(5)), problems=problems)
    others = [POD._replace(k8s_pod=f"orders-{number}") for number in (2, 3)]
    for origin in others:
        recorded(of(), origin=origin, problems=problems)
    recorded(of(key="key-0"), now_ms=NOW + 1, problems=problems)

    state = part(problems, NOW + 1)

    assert [(one.k8s_pod, one.key) for one in state.headers] == [
        ("orders-1", "key-0"),
        ("orders-1", "key-1"),
        ("orders-2", "trace-id"),
    ]
    assert state.headers[0].headers == 2
    assert state.headers_left_out == 4


def test_what_is_forgotten_makes_room_for_the_same_client_again() -> None:
    problems = HeaderProblems(max_of_client=1)
    recorded(of(key="before"), problems=problems)
    problems.expire(NOW + FORGET_AFTER_MS)

    recorded(of(key="after"), now_ms=NOW + FORGET_AFTER_MS, problems=problems)

    assert [one.key for one in part(problems, NOW + FORGET_AFTER_MS).headers] == ["after"]


def test_a_clock_that_is_set_back_neither_loses_nor_forgets() -> None:
    problems = recorded(of(problems={"wrong_type": 2}))
    recorded(of(problems={"wrong_type": 3}), now_ms=NOW - 2 * FORGET_AFTER_MS, problems=problems)
    problems.expire(NOW - 2 * FORGET_AFTER_MS)

    [found] = part(problems).headers

    assert (found.headers, found.last_seen_ms) == (5, NOW)


def test_findings_of_another_cluster_are_not_shown() -> None:
    assert part(recorded(of(), origin=POD._replace(cluster_id="another"))).headers == ()


def test_replicas_findings_become_one_answer() -> None:
    before = part(recorded(of(), of(key=None, topic=None)))
    after = part(recorded(of(), of(key=""), now_ms=NOW + MINUTE), NOW + MINUTE)

    merged = merge_clusters([after, before], ())

    assert [(one.key, one.headers, one.first_seen_ms, one.last_seen_ms) for one in merged.headers] == [
        (None, 1, NOW, NOW),
        ("", 1, NOW + MINUTE, NOW + MINUTE),
        ("trace-id", 2, NOW, NOW + MINUTE),
    ]


@pytest.mark.parametrize("count", [0, 3])
def test_what_was_left_out_adds_up_over_replicas(count: int) -> None:
    full = HeaderProblems(max_problems=0)
    recorded(*[of()] * count, problems=full)

    assert merge_clusters([part(full), part(full)], ()).headers_left_out == 2 * count
