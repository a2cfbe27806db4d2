"""Checks when a client expires: by its interval, the interval it is asked for, and a clock that is set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kwitness.collector.clock import ClockSteps
from kwitness.collector.inventory.asked_intervals import AskedIntervals
from kwitness.collector.inventory.clients import Clients
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state.collector_state import CollectorState
from kwitness.subscriptions.broker_subscription import BrokerSubscription

from tests.collector.inventory_samples import NOTHING, event, snapshot


def alive_at(clients: Clients, now_ms: int, missed: int = 3) -> bool:
    clients.expire(now_ms, missed)
    return len(clients) == 1


@pytest.mark.parametrize(("missed", "last_ms"), [(1, 90_000), (3, 210_000), (10, 630_000)])
def test_a_client_expires_after_its_missed_pushes_and_half_an_interval(missed: int, last_ms: int) -> None:
    clients = Clients()
    clients.record(event(), NOTHING, 0)

    assert alive_at(clients, last_ms - 1, missed)
    assert not alive_at(clients, last_ms, missed)


def subscription(interval_ms: int, **match: str) -> BrokerSubscription:
    every = f"every-{interval_ms}"
    return BrokerSubscription(id=every, metrics=("*",), interval_ms=interval_ms, match=tuple(match.items()))


def test_a_longer_interval_that_a_client_is_asked_for_now_counts_before_it_says_so_itself() -> None:
    now: list[tuple[BrokerSubscription, ...]] = [()]
    asked = AskedIntervals(lambda: now[0])
    clients = Clients()
    clients.record(event(interval_ms=10_000), NOTHING, 0)
    now[0] = (subscription(240_000), subscription(5_000, client_id="another"))

    assert clients.expire(839_999, 3, asked.of) == []
    now[0] = (subscription(20_000),)
    assert clients.expire(69_999, 3, asked.of) == []
    assert clients.expire(70_000, 3, asked.of) == ["c/a"]


def test_a_shorter_interval_that_a_client_is_asked_for_does_not_end_it_earlier() -> None:
    asked = AskedIntervals(lambda: (subscription(1_000),))
    clients = Clients()
    clients.record(event(interval_ms=60_000), NOTHING, 0)

    assert clients.expire(209_999, 3, asked.of) == []
    assert clients.expire(210_000, 3, asked.of) == ["c/a"]


@pytest.mark.parametrize("step_ms", [-7_200_000, 7_200_000])
def test_clients_stay_as_long_as_they_should_when_the_clock_is_set(tmp_path: Path, step_ms: int) -> None:
    wall = steady = 10**9 * 10**6  # nanoseconds
    clock = ClockSteps(lambda: wall, lambda: steady)
    state = CollectorState(tmp_path, lambda: PythonCore(("client_id",), 100), 3)
    state.clock_step_ms = clock.step_ms
    state.brokers.record_heartbeat(snapshot(1, 4), wall // 10**6)
    for seq, client in ((1, "before"), (2, "after")):
        state.journal_and_apply([replace(event(client), seq=seq)], wall // 10**6)
        if client == "before":
            wall, steady = wall + step_ms * 10**6, steady + 10**9
            wall += 10**9

    state.expire(wall // 10**6)
    assert (len(state.clients), len(state.brokers.brokers)) == (2, 1)
    wall, steady = wall + 208_999 * 10**6, steady + 208_999 * 10**6
    state.expire(wall // 10**6)
    assert len(state.clients) == 2
    wall, steady = wall + 1_000 * 10**6, steady + 1_000 * 10**6
    state.expire(wall // 10**6)
    assert [key for key, _ in state.clients.items()] == ["c/after"]


@pytest.mark.parametrize("step_ms", [-7_200_000, 7_200_000])
def test_exports_are_recognised_as_long_as_they_should_be_when_the_clock_is_set(tmp_path: Path, step_ms: int) -> None:
    state = CollectorState(tmp_path, lambda: PythonCore(("client_id",), 100), 3)
    export = replace(event(), source="otlp/0", content="digest")
    state.journal_and_apply([export], 10**9)
    steps = [step_ms]
    state.clock_step_ms = lambda: steps.pop() if steps else 0

    state.expire(10**9 + step_ms + 280_000)
    assert state.contents.claim([export]) == []

    state.expire(10**9 + step_ms + 300_000)
    assert state.contents.claim([export]) == [export]


def test_a_clock_that_is_kept_right_little_by_little_was_not_set() -> None:
    wall = steady = 0
    clock = ClockSteps(lambda: wall, lambda: steady)
    wall, steady = 1_900_000_000, 0

    assert clock.step_ms() == 0
    wall = 2_100_000_000
    assert (clock.step_ms(), clock.step_ms()) == (2_100, 0)


def test_who_was_heard_from_in_the_future_when_the_process_starts_has_its_own_time_and_no_more() -> None:
    clients = Clients()
    clients.record(event(), NOTHING, 10**9)

    clients.bring_back(1_000)

    assert alive_at(clients, 1_000 + 209_999)
    assert not alive_at(clients, 1_000 + 210_000)


def test_without_a_told_interval_the_median_of_the_last_five_gaps_counts() -> None:
    clients = Clients()
    now = 1
    for gap in (0, 500_000, 20_000, 20_000, 20_000, 90_000, 20_000):
        now += gap
        clients.record(event(interval_ms=None, received_at_ms=now), NOTHING, now)

    assert next(iter(clients.records())).interval_ms == 20_000
    assert alive_at(clients, now + 69_999)
    assert not alive_at(clients, now + 70_000)


def test_pushes_that_waited_for_the_collector_and_come_at_once_do_not_shorten_the_interval() -> None:
    clients = Clients()
    back = 1_000_000
    for received in range(100_000, 700_000, 60_000):
        clients.record(event(interval_ms=None, received_at_ms=received), NOTHING, back)

    assert next(iter(clients.records())).interval_ms == 60_000
    assert alive_at(clients, back + 209_999)


def test_a_clock_that_is_set_back_makes_no_gap() -> None:
    clients = Clients()
    for received in (100_000, 160_000, 220_000, 10_000, 70_000, 70_000):
        clients.record(event(interval_ms=None, received_at_ms=received), NOTHING, received)

    [record] = clients.records()
    assert record.gaps_ms == (60_000, 60_000, 60_000)


def test_the_interval_goes_on_across_a_restart_and_from_the_state_of_an_earlier_version() -> None:
    clients = Clients()
    clients.record(event(interval_ms=None, received_at_ms=100_000), NOTHING, 100_000)
    rows = list(clients.dump())
    again, earlier = Clients(), Clients()
    again.load(rows)
    earlier.load([row if row[0] == "metrics" else row[:9] for row in rows])

    for restored in (again, earlier):
        restored.record(event(interval_ms=None, received_at_ms=160_000), NOTHING, 160_000)

    assert [next(iter(one.records())).interval_ms for one in (again, earlier)] == [60_000, None]


def test_without_any_gap_kafkas_default_interval_counts() -> None:
    clients = Clients()
    clients.record(event(interval_ms=None), NOTHING, 0)

    assert alive_at(clients, 1_049_999)
    assert not alive_at(clients, 1_050_000)


def test_a_client_that_sent_its_terminating_push_stays_long_enough_to_be_scraped() -> None:
    clients = Clients()
    clients.record(event(interval_ms=1_000, terminating=True), NOTHING, 0)

    assert alive_at(clients, 299_999)
    assert not alive_at(clients, 300_000)


def test_a_client_stays_until_scrapes_saw_its_counters_whatever_its_interval_is() -> None:
    for terminating in (False, True):
        clients = Clients()
        clients.record(event(interval_ms=100, terminating=terminating), NOTHING, 0)

        assert clients.expire(899_999, 3, least_ms=900_000) == []
        assert clients.expire(900_000, 3, least_ms=900_000) == ["c/a"]


def test_a_short_interval_does_not_make_series_flicker() -> None:
    clients = Clients()
    clients.record(event(interval_ms=100), NOTHING, 0)

    assert alive_at(clients, 29_999)
    assert not alive_at(clients, 30_000)
