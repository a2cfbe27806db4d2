"""Checks GET /v1/traffic and GET /v1/groups at a running collector."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.collector.collector_process import OPERATOR, PLUGIN, REPLICA, SIDECAR, CollectorProcess
from tests.collector.event_samples import of_sidecar, request, totals
from tests.collector.window_samples import LENGTH_MS, behind, end_before_now, produced, rates, requested, window

Start = Callable[..., CollectorProcess]
TRAFFIC, GROUPS = "/v1/traffic", "/v1/groups"
FIRST, THIRD = {"team": "first", "source": "ConfigMap"}, {"team": "third", "source": "ConfigMap"}
FIFTH = {"team": "fifth", "source": "KafkaUser"}
NAMES = [*sorted(string.printable.strip()), 'a "quoted" name', "a,b", "ünïcödé", "x" * 300, "new\nline"]
"""One client of each printable character, and what else separates or is cut."""


@pytest.fixture
def observed(start: Start) -> CollectorProcess:
    """A collector that was sent one window of clients of all names, of a sidecar's client, and of two groups."""
    collector = start()
    collector.own(
        [
            {"team": "first", "match": {"topic": "orders*"}},
            {"team": "second", "contact": "#second", "match": {"topic": "orders"}},
            {"team": "third", "match": {"namespace": "stranger"}},
            {"team": "fourth", "match": {"namespace": "stranger", "clientId": "beside"}},
            {"team": "nobody's", "match": {"topic": "paid", "clientId": "beside"}},
            {"team": "fifth", "source": "KafkaUser", "match": {"group": "read*"}},
        ]
    )
    end_ms = end_before_now()
    entries = [produced("named", client_id=name) for name in NAMES]
    groups = [behind("readers", 7, committed_lag_ms=70), behind("writers", 90), behind("readers", 8, topic="paid")]
    assert collector.observe(request(totals=[window(1, end_ms, traffic=entries, groups=groups)])).status == 200
    own = [produced("orders", client_id="beside"), produced("paid", client_id="beside", requests=50)]
    beside = window(1, end_ms, traffic=own, apis=[requested(client_id="beside")])
    assert collector.observe(request(totals=[beside], **of_sidecar()), token=SIDECAR).status == 200
    return collector


def answered(collector: CollectorProcess, path: str = TRAFFIC, **parameters: str) -> Any:
    answer = collector.get(path, params=parameters)
    assert answer.status == 200, answer
    return answer.body


def test_items_are_selected_by_topic_pod_owner_and_beginning_and_have_the_fields_that_are_named(
    observed: CollectorProcess,
) -> None:
    def clients(**parameters: str) -> list[tuple[str | None, str]]:
        items = answered(observed, fields="topic,client_id", **parameters)["items"]
        return [(item.get("topic"), item["client_id"]) for item in items]

    everything = [(None, "beside"), ("orders", "beside"), ("paid", "beside")]
    assert clients(k8s_namespace="stranger") == everything
    assert clients(k8s_workload="a*") == everything
    assert clients(topic="orders") == clients(topic_owner="first") == clients(topic="ord*") == everything[1:2]
    assert clients(topic_owner="*", client_id="beside") == everything[1:2]
    assert clients(owner="third") == everything
    assert clients(owner="third", topic="paid") == everything[2:]
    for matches_later in ({"topic_owner": "second"}, {"owner": "fourth"}, {"topic_owner": "nobody's"}, {"owner": "th"}):
        assert clients(**matches_later) == []
    [item] = answered(observed, topic="orders")["items"]
    assert (item["owner"], item["topic_owner"]) == (THIRD, FIRST)
    assert (item["k8s_namespace"], item["k8s_workload"], item["k8s_pod"]) == ("stranger", "app", "app-1")
    page = answered(observed, client_id="beside", order="-requests_per_s", limit="1", fields="topic,requests_per_s")
    assert page["items"] == [{"topic": "paid", "requests_per_s": 5}]
    assert (page["matched"], page["missed_at_most"], "continue" in page) == (3, 5, False)


def pages(collector: CollectorProcess, path: str, **parameters: str) -> Iterator[Any]:
    page = answered(collector, path, **parameters)
    yield page
    while "continue" in page:
        page = answered(collector, path, **parameters, **{"continue": page["continue"]})
        yield page


def test_pages_hold_every_client_once_whatever_characters_its_name_has(observed: CollectorProcess) -> None:
    found = [
        [item["client_id"] for item in page["items"]] for page in pages(observed, TRAFFIC, topic="named", limit="7")
    ]

    names = [name for page in found for name in page]
    assert {len(page) for page in found[:-1]} == {7}
    assert len(names) == len(set(names)) == len(NAMES)
    assert set(NAMES[:-2]) <= set(names)
    assert all(len(name) <= 128 for name in names)
    for name in NAMES:
        if not name.endswith("*"):
            [item] = answered(observed, client_id=name)["items"]
            assert item["requests_per_s"] == 1


def test_groups_have_the_largest_lag_first(observed: CollectorProcess) -> None:
    items = answered(observed, GROUPS, order="-committed_lag", fields="group_id,topic,committed_lag,owner,topic_owner")[
        "items"
    ]

    assert items == [
        {"group_id": "writers", "topic": "orders", "committed_lag": 90, "topic_owner": FIRST},
        {"group_id": "readers", "topic": "paid", "committed_lag": 8, "owner": FIFTH},
        {"group_id": "readers", "topic": "orders", "committed_lag": 7, "owner": FIFTH, "topic_owner": FIRST},
    ]
    by_age = answered(observed, GROUPS, order="-committed_lag_ms")["items"]
    assert [item.get("committed_lag_ms") for item in by_age] == [70, None, None]
    by_key = [page["items"] for page in pages(observed, GROUPS, limit="2", fields="group_id,topic")]
    assert by_key == [
        [{"group_id": "readers", "topic": "orders"}, {"group_id": "readers", "topic": "paid"}],
        [{"group_id": "writers", "topic": "orders"}],
    ]
    assert len(answered(observed, GROUPS, topic_owner="first", group_id="read*")["items"]) == 1


def test_an_observer_that_does_not_send_the_start_of_its_windows_is_counted(start: Start) -> None:
    collector = start()
    collector.observe(request(totals=[{**totals(1), "end_ms": end_before_now()}]))

    page = answered(collector)

    assert (page["items"], page["matched"], page["left_out"]) == ([], 0, {"no_length": 2})
    assert collector.value("kwitness_recent_windows_left_out_total", reason="no_length") == 2
    assert collector.value("kafka_client_records_total") == 10


def test_the_last_three_windows_of_all_threads_of_an_observer_count(start: Start) -> None:
    collector = start()
    last_ms = end_before_now()

    for number in range(4):
        end_ms = last_ms - (3 - number) * LENGTH_MS
        threads = [window(2 * number + thread, end_ms, apis=[requested(10 * (number + thread))]) for thread in range(2)]
        assert collector.observe(request(totals=threads)).status == 200

    [item] = answered(collector)["items"]
    assert item["requests_per_s"] == pytest.approx((10 + 20 + 20 + 30 + 30 + 40) / 30)
    assert item["until_ms"] == last_ms


def test_a_window_that_is_sent_again_counts_once(start: Start) -> None:
    collector = start()
    body = request(totals=[window(1, end_before_now(), apis=[requested()])])

    for _ in range(2):
        collector.observe(body)

    assert rates(answered(collector)) == {"orders": 1}


def test_sums_beyond_the_contract_and_more_errors_than_an_item_has_are_answered(start: Start) -> None:
    collector = start()
    end_ms = end_before_now()
    most = requested(2**62, throttle_ms=2**62, request_bytes=2**62, response_bytes=2**62)
    codes = [{str(code): 2**62 for code in range(first, first + 200)} for first in (0, 150)]
    collector.observe(request(totals=[window(n, end_ms, apis=[{**most, "errors": codes[n]}]) for n in range(2)]))

    [item] = answered(collector, order="-throttle_ms")["items"]

    assert item["throttle_ms"] == 2**62
    assert len(item["errors"]) == 256
    assert set(item["errors"].values()) == {2**62}


def test_a_namespace_that_fills_the_budget_leaves_others_their_share(start: Start) -> None:
    collector = start()
    end_ms = end_before_now()
    for seq in range(6):
        many = [{"api": "Fetch", "client_id": f"{seq}-{number}", "requests": 1} for number in range(10_000)]
        answer = collector.observe(request(totals=[window(seq, end_ms, apis=many)], **of_sidecar()), token=SIDECAR)
        assert answer.body["accepted"] == str(seq)

    collector.observe(request(totals=[window(1, end_ms, apis=[requested()])]))

    greedy, honest = answered(collector, k8s_namespace="stranger"), answered(collector, client_id="orders")
    assert 20_000 < greedy["matched"] < 60_000
    assert greedy["left_out"] == {"no_room": 60_000 - greedy["matched"]} == honest["left_out"]
    assert rates(honest) == {"orders": 1}
    assert collector.value("kwitness_recent_windows_left_out_total", reason="no_room") == 60_000 - greedy["matched"]


@pytest.mark.parametrize("path", [TRAFFIC, GROUPS])
@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("clientid=a", "BadParameter"),
        ("fields=topic,nothing", "BadFields"),
        ("order=topic", "BadOrder"),
        ("limit=1001", "BadLimit"),
        ("continue=garbage", "BadContinue"),
        ("continue=WyJhIl0=", "BadContinue"),
    ],
)
def test_a_parameter_that_is_not_valid_is_refused(shared: CollectorProcess, path: str, query: str, reason: str) -> None:
    refused = shared.get(f"{path}?{query}")

    assert (refused.status, refused.body["error"]["reason"]) == (400, reason)


@pytest.mark.parametrize(
    ("path", "order"), [(TRAFFIC, "requests_per_s"), (TRAFFIC, "fetch_lag"), (GROUPS, "committed_lag")]
)
def test_the_largest_is_first_and_an_answer_with_an_order_is_not_continued(
    shared: CollectorProcess, path: str, order: str
) -> None:
    ascending = shared.get(f"{path}?order={order}")
    continued = shared.get(f"{path}?order=-{order}&continue=WyJhIl0=")

    assert (ascending.status, ascending.body["error"]["reason"]) == (400, "BadOrder")
    assert f"order=-{order}" in ascending.body["error"]["message"]
    assert (continued.status, continued.body["error"]["reason"]) == (400, "BadContinue")


@pytest.mark.parametrize("path", [TRAFFIC, GROUPS])
@pytest.mark.parametrize(
    ("token", "status"), [(None, 401), ("unknown", 401), (PLUGIN, 403), (SIDECAR, 403), (REPLICA, 403), (OPERATOR, 200)]
)
def test_readers_of_the_inventory_may_read_windows(
    shared: CollectorProcess, path: str, token: str | None, status: int
) -> None:
    assert shared.get(path, token=token).status == status
