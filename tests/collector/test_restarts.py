"""What survives: a restart keeps counters, a kill loses no count, and the ledger closes in every epoch."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import TOPICS, CollectorProcess
from tests.collector.collector_samples import (
    CLUSTER,
    CREATION_SERIES,
    LATENCY_AVG,
    batch,
    counter_push,
    gauge_push,
    gauges,
    push,
)
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]


def ledger_closes(collector: CollectorProcess) -> dict[str, dict[str, Any]]:
    hops = {hop["hop"]: hop for hop in collector.get(f"/v1/clusters/{CLUSTER}?local=true").body["ledger"]}
    for hop in hops.values():
        assert hop["accepted"] == hop["delivered"] + hop["queued"] + sum(hop["dropped"].values()), hop
    return hops


def test_a_restart_goes_on_with_the_same_counters_and_knows_what_it_had(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(5)), push(2, gauge_push(LATENCY_AVG, 10.0))]))
    collector.post("/v1/gauges", gauges({("sarama", "1.40"): 2}))
    first = collector.get("/v1/clients").body["items"][0]
    assert collector.stop() == 0

    collector.start()

    assert collector.value(CREATION_SERIES) == 5
    assert collector.get("/v1/clients").body["items"] == [first]
    again = collector.push(batch([push(2, counter_push(7)), push(3, counter_push(2))]))
    assert again.body == {"accepted": 1, "duplicates": 1, "rejected": []}
    assert collector.value(CREATION_SERIES) == 7
    software = collector.get(f"/v1/clusters/{CLUSTER}").body["software"]
    assert "sarama" in {one["client_software_name"] for one in software}


def test_a_killed_collector_goes_on_with_the_same_counters(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(5))]))
    collector.push(batch([push(2, counter_push(6))]))
    assert collector.value(CREATION_SERIES) == 11
    collector.kill()

    collector.start()

    assert collector.value(CREATION_SERIES) == 11
    assert collector.push(batch([push(1, counter_push(5)), push(2, counter_push(6))])).body["duplicates"] == 2


def damages() -> list[Callable[[Path], None]]:
    def cut(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:-20])

    def flip(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x40
        path.write_bytes(data)

    def empty(path: Path) -> None:
        path.write_bytes(b"")

    def foreign(path: Path) -> None:
        path.write_text("not ours")

    return [cut, flip, empty, foreign]


@pytest.mark.parametrize("damage", damages(), ids=lambda one: one.__name__)
def test_a_damaged_state_file_is_counted_and_never_stops_the_start(
    start: Start, damage: Callable[[Path], None]
) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(5))]))
    collector.stop()
    damage(collector.folder / "state-0" / "state.jsonl.gz")

    collector.start()

    assert collector.value("kwitness_parser_errors_total", reason="state") == 1
    assert collector.push(batch([push(2, counter_push(3))])).status == 200


def test_a_state_folder_that_cannot_be_written_is_said_and_survived(start: Start, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")

    collector = start(config={"state_dir": str(blocked / "below")})

    assert collector.push(batch([push(1, counter_push(5))])).status == 200
    assert (collector.value("kwitness_parser_errors_total", reason="state_write") or 0) >= 1


@pytest.mark.broker
def test_under_kills_at_random_moments_nothing_is_lost_or_counted_twice(start: Start, broker: LocalBroker) -> None:
    seed = time.time_ns() % 10**6
    print(f"seed {seed}")  # noqa: T201 - shown by pytest when the test fails
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    collector = start(bootstrap=broker.bootstrap)
    epoch = time.time_ns() // 1_000_000
    amounts = [chance.randrange(1, 100) for _ in range(120)]
    done = threading.Event()

    def send() -> None:
        """Send as the plugin does: in order, keeping what is not acknowledged."""
        position = 0
        while position < len(amounts):
            body = batch(
                [
                    push(position + index, counter_push(amount), client="killed")
                    for index, amount in enumerate(amounts[position : position + 3])
                ],
                epoch=epoch,
            )
            try:
                if collector.push(body).status == 200:
                    position += 3
            except (requests.ConnectionError, requests.Timeout):
                time.sleep(0.05)
        done.set()

    sender = threading.Thread(target=send)
    sender.start()
    kills = 0
    while not done.is_set() and kills < 6:
        time.sleep(chance.uniform(0.05, 0.6))
        collector.kill()
        kills += 1
        collector.start()
        ledger_closes(collector)
    eventually(lambda: not sender.is_alive())

    assert collector.value(CREATION_SERIES, client_id="orders") == sum(amounts)
    hops = ledger_closes(collector)
    assert hops["topic"]["queued"] == 0
    assert in_topic(broker, epoch) >= set(range(len(amounts)))


def in_topic(broker: LocalBroker, epoch: int) -> set[int]:
    settings = {
        "bootstrap.servers": broker.bootstrap,
        "group.id": f"t{time.time_ns()}",
        "auto.offset.reset": "earliest",
    }
    consumer = Consumer({**settings, "enable.partition.eof": True})
    consumer.subscribe([TOPICS["telemetry"]])
    found: set[int] = set()
    ends: set[int] = set()

    def read() -> int:
        message = consumer.poll(0.5)
        if message is not None and message.error() is not None:
            ends.add(message.partition() or 0)
        elif message is not None:
            headers = dict(message.headers() or [])
            if headers["event_epoch"] == str(epoch).encode():
                found.add(int(headers["event_seq"]))
        return len(found) + len(ends)

    eventually(read, lambda _: len(ends) == 3, every=0)
    consumer.close()
    return found


@pytest.mark.broker
def test_a_broker_that_comes_back_gets_what_its_absence_held_up(start: Start) -> None:
    with LocalBroker() as own:
        admin = AdminClient({"bootstrap.servers": own.bootstrap})
        admin.create_topics([NewTopic(TOPICS["telemetry"], 1, 1)])[TOPICS["telemetry"]].result()
        collector = start(bootstrap=own.bootstrap)
        assert collector.deliver(batch([push(1, counter_push(1))])).status == 200
        own.shutdown()
        assert collector.push(batch([push(2, counter_push(2))])).status == 503
        assert collector.value(CREATION_SERIES) == 1
        own.start()

        assert collector.deliver(batch([push(2, counter_push(2))])).status == 200

        assert collector.value(CREATION_SERIES) == 3
        hops = ledger_closes(collector)
        assert hops["topic"]["dropped"]["returned"] >= 1
