"""Checks heartbeats of brokers: late ones, those of restarted plugins, and when a broker is forgotten."""

from __future__ import annotations

from kwitness.collector.inventory.brokers import Brokers
from kwitness.collector.inventory.software import SOFTWARE_MEMORY_MS

from tests.collector.inventory_samples import snapshot


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
