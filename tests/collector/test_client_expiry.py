"""When a client is taken for gone, and what is remembered within which bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kwitness.collector.clock import ClockSteps
from kwitness.collector.core import Applied
from kwitness.collector.deduplication import MAX_SOURCES, WINDOW, Deduplication, SequenceWindow
from kwitness.collector.events import Event
from kwitness.collector.inventory import clients as clients_module
from kwitness.collector.inventory.asked_intervals import AskedIntervals
from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.clients import MAX_METRIC_SETS, Clients
from kwitness.collector.inventory.software import SOFTWARE_MEMORY_MS
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.state.collector_state import CollectorState
from kwitness.contracts.envelopes import GaugeSnapshot
from kwitness.subscriptions.broker_subscription import BrokerSubscription

from tests.collector.collector_samples import LATENCY_AVG

NOTHING = Applied(0, (LATENCY_AVG,), {}, None)


def applied(*metrics: str) -> Applied:
    return Applied(len(metrics), metrics, {}, None)


def event(
    client: str = "a", interval_ms: int | None = 60_000, *, terminating: bool = False, received_at_ms: int = 0
) -> Event:
    identity = {"cluster_id": "c", "client_instance_id": client}
    return Event("c/1", 1, 1, received_at_ms, identity, b"", interval_ms, terminating)


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


def test_a_short_interval_does_not_make_series_flicker() -> None:
    clients = Clients()
    clients.record(event(interval_ms=100), NOTHING, 0)

    assert alive_at(clients, 29_999)
    assert not alive_at(clients, 30_000)


def admitted(clients: Clients, one: Event, now_ms: int = 0) -> bool:
    """Whether there was room; its push is noted then, as the state does."""
    there_is = clients.admits(one)
    if there_is:
        clients.learn(one.client, one.identity)
        clients.record(one, NOTHING, now_ms)
    return there_is


def of(holder: str, one: Event) -> Event:
    return replace(one, identity={**one.identity, "principal": holder})


def test_a_million_clients_do_not_fit_and_those_that_live_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()

    found_room = [admitted(clients, event(f"client-{number}"), number) for number in range(1_000)]

    assert found_room == [True] * 100 + [False] * 900
    assert [key for key, _ in clients.items()] == [f"c/client-{number}" for number in range(100)]
    assert clients.left_out == {"clients": 900}
    assert admitted(clients, event("client-0"))


def test_a_newcomer_that_comes_again_and_again_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 1)
    clients = Clients()
    admitted(clients, event("first"))

    for _ in range(5):
        assert not admitted(clients, event("second"))

    assert clients.left_out == {"clients": 1}


def test_who_rotates_ids_takes_half_of_the_room_and_others_have_their_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()
    for number in range(5):
        admitted(clients, of("User:honest", event(f"early-{number}")))

    taken = sum(admitted(clients, of("User:greedy", event(f"made-up-{number}"))) for number in range(1_000))
    late = sum(admitted(clients, of("User:late", event(f"late-{number}"))) for number in range(50))

    assert (taken, late) == (45, 10)
    assert all(clients.get(f"c/early-{number}") is not None for number in range(5))


def test_what_leaves_gives_its_place_back_to_whose_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()
    for number in range(50):
        admitted(clients, of("User:greedy", event(f"a-{number}")))
    for number in range(10):
        admitted(clients, of("User:late", event(f"b-{number}")))
    assert not admitted(clients, of("User:late", event("c")))

    clients.forget(["c/b-0"])

    assert admitted(clients, of("User:late", event("c")))
    assert not admitted(clients, of("User:late", event("d")))


def test_after_a_restart_clients_count_for_nobody_until_they_push(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    before, after = Clients(), Clients()
    for number in range(50):
        admitted(before, of("User:greedy", event(f"a-{number}")))
    after.load(before.dump())

    assert admitted(after, of("User:greedy", event("b-0")))  # nobody knows yet that these are the same one's
    for number in range(50):
        assert admitted(after, of("User:greedy", event(f"a-{number}")))

    assert not admitted(after, of("User:greedy", event("b-1")))
    assert admitted(after, of("User:late", event("c")))


def test_clients_with_endless_names_are_bounded_by_their_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_IDENTITY_CHARACTERS", 100_000)
    clients = Clients()
    for number in range(100):
        named = of("User:greedy", event(f"client-{number}"))
        admitted(clients, replace(named, identity={**named.identity, "client_id": "x" * 10_000}), number)
    assert len(clients) == 4  # of which each but the first is beyond its share, and what is open is half

    assert admitted(clients, of("User:late", event("late")))
    kept = clients.get("c/late")
    assert kept is not None
    clients.learn("c/late", {"client_id": "x" * 70_000})
    assert "client_id" not in kept.identity
    assert clients.left_out == {"clients": 96, "identities": 1}

    clients.forget([key for key, _ in clients.items()])
    assert all(admitted(clients, event(f"client-{number}")) for number in range(100))


def test_made_up_metric_names_are_forgotten_with_their_clients_and_never_fill_the_memory_for_good() -> None:
    clients = Clients()
    for number in range(MAX_METRIC_SETS + 100):
        clients.record(event(f"hostile-{number}"), applied(f"made.up.{number}"), 0)
    clients.record(event("late"), applied("sound"), 0)
    assert len({record.metrics for record in clients.records()}) == MAX_METRIC_SETS + 1  # and the empty one

    clients.expire(10**9, 3)
    clients.record(event("later"), applied("sound"), 10**9)

    assert [record.metrics for record in clients.records()] == [{"sound"}]


def test_a_set_of_names_as_long_as_a_book_is_not_kept() -> None:
    clients = Clients()

    clients.record(event("a"), applied(*(f"{number:0200}" for number in range(1_000))), 0)

    assert [record.metrics for record in clients.records()] == [frozenset()]


def test_clients_with_the_same_metrics_share_the_set() -> None:
    clients = Clients()
    clients.record(event("a"), NOTHING, 0)
    clients.record(event("b"), NOTHING, 0)

    first, second = clients.records()
    assert first.metrics is second.metrics


def snapshot(seq: int, connections: int, broker: str = "1", epoch: int = 1) -> GaugeSnapshot:
    return GaugeSnapshot.model_validate(
        {
            "source": f"c/{broker}",
            "epoch": epoch,
            "seq": seq,
            "cluster_id": "c",
            "broker_id": broker,
            "sent_at_ms": 0,
            "connections": [
                {
                    "listener": "L",
                    "client_software_name": "sarama",
                    "client_software_version": "1",
                    "connections": connections,
                }
            ],
        }
    )


def test_a_broker_is_forgotten_after_three_missed_heartbeats_and_its_software_after_seven_days() -> None:
    brokers = Brokers()
    brokers.record_heartbeat(snapshot(1, 4), 0)

    brokers.expire(35_000)
    assert sum(brokers.connections().values()) == 4
    brokers.expire(35_001)
    assert not brokers.connections()
    assert len(brokers.software) == 1
    brokers.expire(SOFTWARE_MEMORY_MS)
    assert len(brokers.software) == 1
    brokers.expire(SOFTWARE_MEMORY_MS + 1)
    assert len(brokers.software) == 0


def test_a_late_heartbeat_does_not_bring_old_numbers_back() -> None:
    brokers = Brokers()
    brokers.record_heartbeat(snapshot(5, 4), 0)

    brokers.record_heartbeat(snapshot(4, 9), 1)

    assert sum(brokers.connections().values()) == 4


def test_a_restarted_plugin_begins_again_at_one() -> None:
    brokers = Brokers()
    brokers.record_heartbeat(snapshot(500, 4), 0)

    brokers.record_heartbeat(snapshot(1, 9, epoch=2), 1)

    assert sum(brokers.connections().values()) == 9


def test_a_late_heartbeat_of_the_plugin_before_a_restart_changes_nothing() -> None:
    brokers = Brokers()
    brokers.record_heartbeat(snapshot(1, 4, epoch=2), 0)

    brokers.record_heartbeat(snapshot(500, 9, epoch=1), 5_000)

    assert sum(brokers.connections().values()) == 4
    brokers.expire(35_001)
    assert not brokers.connections()


def test_a_broker_restarted_with_its_clock_set_back_is_shown_as_it_is_now() -> None:
    brokers = Brokers()
    brokers.record_heartbeat(snapshot(500, 4, epoch=2), 0)

    for seq in range(1, 5):
        brokers.record_heartbeat(snapshot(seq, 9, epoch=1), seq * 10_000)
        brokers.expire(seq * 10_000)
        assert len(brokers.brokers) == 1

    assert sum(brokers.connections().values()) == 9


def test_the_last_ten_thousand_numbers_are_known_in_any_order() -> None:
    window = SequenceWindow()
    for seq in (5, 1, 3, 20_000, 19_999, 10_001):
        window.add(seq)

    assert [seq in window for seq in (20_000, 19_999, 10_001, 19_998)] == [True, True, True, False]
    assert 20_000 - WINDOW not in window


def test_windows_survive_being_written_and_bound_the_number_of_sources() -> None:
    seen = Deduplication()
    for number in range(MAX_SOURCES + 50):
        seen.window(f"source-{number}", 1).add(7)
    other = Deduplication()

    other.load(seen.dump())

    assert 7 in other.window(f"source-{MAX_SOURCES + 49}", 1)
    assert 7 not in other.window("source-0", 1)
