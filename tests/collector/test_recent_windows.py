"""Checks which windows of observers count in an answer, for how long, and within which budget."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kwitness.collector.inventory.recent_windows import MAX_ROWS, RecentWindows
from kwitness.collector.inventory.window_tables import GROUP_TABLE, TRAFFIC_TABLE, Reading
from kwitness.collector.inventory.windows_page import windows_page
from kwitness.collector.inventory.windows_part import WindowsPart
from kwitness.collector.inventory.windows_question import WindowsQuestion, token

from tests.collector.collector_samples import CLUSTER
from tests.collector.window_samples import (
    LENGTH_MS,
    NO_OWNERS,
    NOW,
    add,
    ask,
    behind,
    of_namespace,
    produced,
    rates,
    requested,
    window,
)

SHOWN_MS = 3 * LENGTH_MS + 60_000


def test_the_last_three_windows_of_a_source_count_and_a_fourth_ends_the_first() -> None:
    windows = RecentWindows()

    shown = []
    for number, requests in enumerate((10, 20, 30, 400)):
        add(windows, window(number, NOW + number * LENGTH_MS, apis=[requested(requests)]), now_ms=NOW + 40_000)
        shown.append(rates(ask(windows, now_ms=NOW + 40_000))["orders"])

    assert shown == [pytest.approx(rate) for rate in (1.0, 1.5, 2.0, 15.0)]


def test_an_item_has_all_that_its_windows_have_and_the_lag_of_the_newest() -> None:
    windows = RecentWindows()
    early = [produced(fetch_lag=90, fetch_lag_ms=9_000, held_by_transaction=3, errors={"6": 1})]
    late = [produced(fetch_lag=7, fetch_lag_ms=700, errors={"6": 2, "3": 1})]
    throttled = [requested(throttled_responses=2, throttle_ms=1_250)]
    add(windows, window(1, NOW - LENGTH_MS, traffic=early, apis=throttled), window(2, NOW, traffic=late))

    in_all, of_topic = ask(windows)["items"]

    client = {
        "cluster_id": CLUSTER,
        "api": "Produce",
        "principal": "User:alice",
        "client_id": "orders",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
    }
    assert in_all == {
        **client,
        "requests_per_s": 0.5,
        "request_bytes_per_s": 750,
        "response_bytes_per_s": 50,
        "throttled_responses": 2,
        "throttle_ms": 1_250,
        "errors": {},
        "until_ms": NOW - LENGTH_MS,
    }
    assert of_topic == {
        **client,
        "topic": "orders",
        "requests_per_s": 1,
        "records_per_s": 10,
        "record_bytes_per_s": 1_000,
        "fetch_lag": 7,
        "fetch_lag_ms": 700,
        "errors": {"6": 3, "3": 1},
        "until_ms": NOW,
    }


def test_windows_of_threads_with_one_end_are_one_window() -> None:
    windows = RecentWindows()
    for number in range(4):
        end_ms = NOW + number * LENGTH_MS
        add(windows, *(window(seq, end_ms, apis=[requested(10)]) for seq in range(5)), now_ms=end_ms)

    assert rates(ask(windows, now_ms=NOW + 30_000)) == {"orders": pytest.approx(5.0)}


def test_a_window_without_traffic_in_between_counts_as_time() -> None:
    windows = RecentWindows()

    add(windows, *(window(1, NOW - 30_000, apis=[requested(10)]), window(2, NOW, apis=[requested(30)])))

    assert rates(ask(windows)) == {"orders": pytest.approx(1.0)}


def test_windows_of_two_sources_add_up_and_each_has_its_own_time() -> None:
    windows = RecentWindows()
    add(windows, window(1, NOW, traffic=[produced(fetch_lag=5)]), source="shop/a")
    add(windows, window(1, NOW - LENGTH_MS, traffic=[produced(fetch_lag=9)]), source="shop/b")
    add(windows, window(2, NOW, traffic=[produced("others")]), source="shop/b")

    [item] = ask(windows, topic="orders")["items"]

    assert item["requests_per_s"] == pytest.approx(10 / 10 + 10 / 20)
    assert (item["fetch_lag"], item["until_ms"]) == (9, NOW)


@pytest.mark.parametrize("ahead_ms", [0, 3_600_000])
def test_a_window_is_shown_until_a_minute_after_three_lengths_whatever_the_clock_of_its_observer(ahead_ms: int) -> None:
    windows = RecentWindows()
    add(windows, window(1, NOW + ahead_ms, apis=[requested()], groups=[behind("g", 1)]))

    assert len(ask(windows, now_ms=NOW + SHOWN_MS - 1)["items"]) == 1
    assert ask(windows, now_ms=NOW + SHOWN_MS)["items"] == []
    assert windows.bytes == 0


def test_a_window_that_is_late_changes_nothing() -> None:
    windows = RecentWindows()
    add(windows, *(window(seq, NOW - seq * LENGTH_MS, apis=[requested()]) for seq in range(3)))
    before = ask(windows)

    add(windows, window(4, NOW - 3 * LENGTH_MS, apis=[requested(500)]))
    add(windows, window(5, NOW - SHOWN_MS, apis=[requested(500)]), source="shop/another")

    assert ask(windows) == before


def test_a_collector_whose_clock_is_set_back_shows_windows_no_longer() -> None:
    windows = RecentWindows()
    add(windows, window(1, NOW, apis=[requested()]))

    windows.clock_was_set(-3_600_000)

    assert ask(windows, now_ms=NOW - 3_600_000 + SHOWN_MS - 1)["items"]
    assert not ask(windows, now_ms=NOW - 3_600_000 + SHOWN_MS)["items"]


@pytest.mark.parametrize(
    "changes", [{"start_ms": None}, {"start_ms": NOW}, {"start_ms": NOW - 3_600_001}, {"end_ms": None}]
)
def test_entries_of_windows_without_a_length_are_counted_for_as_long_as_windows_are_shown(
    changes: dict[str, Any],
) -> None:
    windows = RecentWindows()

    add(windows, {**window(1, NOW, apis=[requested()], groups=[behind("g", 1)]), **changes})

    assert (ask(windows)["items"], ask(windows)["left_out"]) == ([], {"no_length": 2})
    assert ask(windows, GROUP_TABLE)["left_out"] == {"no_length": 2}
    assert ask(windows, now_ms=NOW + 61_000)["left_out"] == {}
    assert windows.left_out == {"no_length": 2}


def test_a_namespace_beyond_its_share_leaves_room_for_the_others() -> None:
    windows = RecentWindows(most_bytes=1_000_000)
    greedy = [requested(client_id=f"client-{number}") for number in range(2_000)]

    add(windows, window(1, NOW, apis=greedy), **of_namespace("greedy"))
    add(
        windows,
        window(1, NOW, apis=[requested(client_id=f"honest-{number}") for number in range(50)]),
        **of_namespace("honest"),
    )
    page = ask(windows, limit="1000")

    kept = [item["k8s_namespace"] for item in page["items"]]
    assert kept.count("honest") == 50
    assert page["left_out"] == {"no_room": 2_000 - kept.count("greedy")} == windows.left_out
    assert 400_000 < windows.bytes < 600_000
    assert ask(windows, now_ms=NOW + 3 * LENGTH_MS)["left_out"] == {}


def test_windows_without_room_are_counted() -> None:
    windows = RecentWindows(most_bytes=3_000)
    for number in range(10):
        add(windows, window(1, NOW, apis=[requested()]), source=f"shop/app-{number}")

    assert windows.bytes <= 3_000
    assert ask(windows)["left_out"]["no_room"] > 0
    windows.expire(NOW + SHOWN_MS)
    assert windows.bytes == 0


def test_more_observers_of_a_group_than_are_read_at_once_are_left_out() -> None:
    windows = RecentWindows()
    for number in range(MAX_ROWS + 5):
        add(windows, window(1, NOW, groups=[behind("readers", number)]), source=f"shop/gateway-{number}")

    page = ask(windows, GROUP_TABLE)

    assert [item["committed_lag"] for item in page["items"]] == [MAX_ROWS - 1]
    assert page["left_out"] == {"no_room": 5}


def test_an_observer_that_goes_on_makes_room_by_its_own_old_windows() -> None:
    windows = RecentWindows(most_bytes=2_000_000)
    entries = [requested(client_id=f"client-{number}") for number in range(250)]

    for number in range(50):
        end_ms = NOW + number * LENGTH_MS
        add(windows, window(number, end_ms, apis=entries), now_ms=end_ms)

    assert ask(windows, now_ms=NOW + 49 * LENGTH_MS)["matched"] == 250
    assert windows.left_out == {}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["a/app-1", "a/app-2", "b/app-1"]),
        st.integers(0, 6),
        st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["", "6", "7"])), max_size=4),
    ),
    max_size=30,
)


@given(STEPS, st.sampled_from([4_000, 8_000, 1_000_000]))
def test_whatever_comes_the_budget_holds_and_nothing_is_left_in_the_end(
    steps: list[tuple[str, int, list[tuple[str, str]]]], most: int
) -> None:
    windows = RecentWindows(most)
    for source, late, entries in steps:
        groups = [behind(name, late) for name, _ in entries]
        apis = [requested(client_id=name, errors={code: 1} if code else {}) for name, code in entries]
        add(windows, window(1, NOW - late * LENGTH_MS, apis=apis, groups=groups), source=source)
        windows.expire(NOW)
        assert 0 <= windows.bytes <= most
        assert ask(windows)["matched"] <= 3

    windows.expire(NOW + SHOWN_MS)

    assert windows.bytes == 0
    assert (windows.items(TRAFFIC_TABLE), windows.items(GROUP_TABLE)) == ([], [])


def test_a_page_by_key_ends_where_a_replica_may_have_more() -> None:
    keys = [(CLUSTER, group, "orders") for group in "abcd"]
    parts = [
        WindowsPart(
            rows=tuple((keys[place], Reading((1, None, None, None), {}, NOW)) for place in places),
            is_cut=is_cut,
            matched=3,
        )
        for places, is_cut in (((0, 1), True), ((1, 2, 3), False))
    ]
    question = WindowsQuestion(GROUP_TABLE, GROUP_TABLE.noun.question({"limit": "3"}), NO_OWNERS)

    page = asyncio.run(windows_page(question, parts, (2,)))

    assert [json.loads(item)["group_id"] for item in page.items] == ["a", "b"]
    assert page.known == {
        "matched": 5,
        "missing": (2,),
        "left_out": {},
        "scope": None,
        "incomplete": None,
        "continue": token(keys[1]),
        "missed_at_most": None,
    }
