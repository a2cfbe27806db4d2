"""What a replica remembers after a kill is what it remembered before, whenever the kill comes."""

from __future__ import annotations

from pathlib import Path

from kwitness.collector.events import Event
from kwitness.collector.memory import Memory
from kwitness.collector.prometheus.accumulate import PythonCore

from tests.collector.collector_process import parse, value
from tests.collector.collector_samples import CREATION_SERIES, counter_push


def memory(folder: Path, max_series: int = 100) -> Memory:
    """Begin as a process does: with what the one before it left."""
    one = Memory(folder, lambda: PythonCore(("client_id",), max_series), 3)
    one.load()
    one.save()
    return one


def push(seq: int, amount: int) -> Event:
    identity = {"cluster_id": "c", "client_id": "orders", "client_instance_id": "i"}
    return Event("c/1", 1, seq, 0, identity, counter_push(amount), push_interval_ms=1_000)


def total(one: Memory) -> float | None:
    one.core.mark_shown()
    return value(parse(b"".join(one.core.render(openmetrics=False)).decode()), CREATION_SERIES)


def test_what_was_begun_anew_does_not_come_back_after_a_kill(tmp_path: Path) -> None:
    live = memory(tmp_path)
    live.take([push(1, 1_000)], 0)
    live.renew_core()
    live.take([push(2, 3)], 0)

    killed = memory(tmp_path)

    assert total(live) == total(killed) == 3


def test_a_client_that_left_and_came_back_begins_anew_after_a_kill_as_it_did_before(tmp_path: Path) -> None:
    live = memory(tmp_path)
    live.take([push(1, 1_000)], 10_000)
    live.expire(60_000)
    live.take([push(2, 3)], 90_000)

    killed = memory(tmp_path)

    assert total(live) == total(killed) == 3


def test_clients_leave_though_the_clock_was_set_back(tmp_path: Path) -> None:
    one = memory(tmp_path)
    one.expire(10**9)
    one.take([push(1, 1)], 0)

    one.expire(60_000)

    assert len(one.clients) == 0
