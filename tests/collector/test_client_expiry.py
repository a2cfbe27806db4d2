"""When a client is taken for gone, and what is remembered within which bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kwitness.collector.core import Applied
from kwitness.collector.deduplication import MAX_SOURCES, WINDOW, Deduplication, SequenceWindow
from kwitness.collector.events import Event
from kwitness.collector.inventory import clients as clients_module
from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.clients import MAX_METRIC_SETS, Clients
from kwitness.collector.inventory.software import SOFTWARE_MEMORY_MS
from kwitness.contracts.envelopes import GaugeSnapshot

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


def test_a_million_clients_do_not_fit_and_the_oldest_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_CLIENTS", 100)
    clients = Clients()

    evicted = [clients.record(event(f"client-{number}"), NOTHING, number) for number in range(1_000)]

    assert len(clients) == 100
    assert [one for keys in evicted for one in keys] == [f"c/client-{number}" for number in range(900)]


def test_clients_with_endless_names_are_bounded_by_their_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients_module, "MAX_IDENTITY_CHARACTERS", 100_000)
    clients = Clients()
    for number in range(100):
        named = event(f"client-{number}")
        clients.record(replace(named, identity={**named.identity, "client_id": "x" * 10_000}), NOTHING, number)
    assert 5 <= len(clients) <= 10

    clients.forget([key for key, _ in clients.items()])
    evicted = [clients.record(event(f"client-{number}"), NOTHING, number) for number in range(100)]

    assert not any(evicted)


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
