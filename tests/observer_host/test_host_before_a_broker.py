"""From records in a real broker's topic to observers, of which one raises and one hangs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.contracts.records.requests import RequestEvent
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import deliver, eventually
from tests.observer_host.event_lines import event, line
from tests.observer_host.host_process import HostProcess

TOPIC, GROUP = "hosted.requests", "hosted"
SAMPLES = "tests.observer_host.sample_observers"
CONNECTIONS, LENGTH = 5, 40


@pytest.fixture(scope="module")
def bootstrap(kafka: LocalBroker) -> Iterator[str]:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    admin.create_topics([NewTopic(TOPIC, 2, 1)])[TOPIC].result()
    yield kafka.bootstrap
    admin.delete_topics([TOPIC])[TOPIC].result()


def write(bootstrap: str, records: list[tuple[str, bytes]]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for key, value in records:
        producer.produce(TOPIC, value, key)
    deliver(producer)


def shuffled() -> list[tuple[str, bytes]]:
    """Five connections, each a little out of order and with one event twice, and one record that is none."""
    chance = random.Random(388)  # noqa: S311 - the same every time
    events: list[RequestEvent] = []
    for connection in range(CONNECTIONS):
        own = [
            event(number, connection=f"c{connection}", kind=("request", "response")[number % 2])
            for number in range(LENGTH)
        ]
        for at in range(0, LENGTH, 8):
            part = own[at : at + 8]
            chance.shuffle(part)
            own[at : at + 8] = part
        events += [*own, own[0]]
    return [(one.connection_id, line(one).encode()) for one in events] + [("c0", b'{"kind": "request"}')]


def committed(bootstrap: str) -> int:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": GROUP})
    try:
        found = consumer.committed([TopicPartition(TOPIC, number) for number in (0, 1)], timeout=30)
        return sum(max(0, one.offset) for one in found)
    finally:
        consumer.close()


def calls(file: Path) -> list[list[Any]]:
    return [json.loads(text) for text in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.broker
@pytest.mark.slow
def test_each_connection_reaches_a_sound_observer_in_order_whatever_the_others_do(
    bootstrap: str, tmp_path: Path
) -> None:
    total = CONNECTIONS * LENGTH
    kept = tmp_path / "calls"
    told: dict[str, Any] = {
        "kafka": {"bootstrap_servers": [bootstrap]},
        "topic": TOPIC,
        "group": GROUP,
        "drain_seconds": 1,
        "close_seconds": 1,
        "observers": [
            {"name": "raising", "class_name": f"{SAMPLES}.Raising"},
            {"name": "hanging", "class_name": f"{SAMPLES}.Hanging"},
            {"name": "kept", "class_name": f"{SAMPLES}.Written", "config": {"file": str(kept)}},
            {"name": "traffic", "class_name": "kwitness.observer.examples.traffic_metrics.TrafficMetrics"},
        ],
    }
    records = shuffled()
    write(bootstrap, records)
    with HostProcess(tmp_path, **told) as host:
        name = "kwitness_observer_host_events_total"
        eventually(
            lambda: host.samples(name).get('observer="kept",outcome="delivered",reason=""'),
            lambda count: count == total,
        )

        by_connection: dict[str, list[int]] = {}
        for one in calls(kept):
            by_connection.setdefault(one[1].rpartition("/")[2], []).append(one[2] - event(0).occurred_at_ms)
        assert by_connection == {f"c{number}": list(range(LENGTH)) for number in range(CONNECTIONS)}
        assert host.samples("kwitness_observer_host_records_total") == {
            'outcome="ordered"': total,
            'outcome="repeated"': CONNECTIONS,
            'outcome="malformed"': 1,
        }
        assert host.samples("kwitness_observer_host_missing_events_total") == {"": 0}
        eventually(
            lambda: host.samples(name).get('observer="raising",outcome="dropped",reason="raised"'),
            lambda count: count == total,
        )
        assert host.samples("kwitness_observer_host_queued_events")['observer="hanging"'] == total
        eventually(lambda: committed(bootstrap), lambda count: count == len(records))
        assert host.readiness() == "ok"
        types = dict(part.split()[2:4] for part in host.page().splitlines() if part.startswith("# TYPE"))
        own = {metric.name: metric.type for metric in OWN_METRICS if "observer host" in metric.source.split(", ")}
        assert {name: kind for name, kind in types.items() if name.startswith("kwitness_")} == own
        assert "kafka_observed_messages_total" in types

        assert host.stop() == 0

    assert calls(kept)[-1] == ["close", 1.0]
    assert host.log.count('"class": "tests.observer_host.sample_observers.Raising"') == 1
    assert host.log.count("An observer did not return in time") == 1

    # What was handed on does not come again, and what comes while nobody reads is not lost.
    write(bootstrap, [("c9", line(event(0, connection="c9")).encode())])
    kept.unlink()
    with HostProcess(tmp_path, **told) as host:
        eventually(lambda: calls(kept))
        assert host.stop() == 0
    assert [one[0] for one in calls(kept)] == ["request", "close"]


@pytest.mark.slow
def test_what_is_wrong_with_connection_and_classes_is_in_readiness(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret-of-the-host")
    (tmp_path / "hosts").write_text("elsewhere:9093")
    login = {
        "type": "scram-sha-512",
        "username": "host",
        "password_file": str(tmp_path / "password"),
        "hosts_file": str(tmp_path / "hosts"),
    }
    told = {
        "kafka": {"bootstrap_servers": ["127.0.0.1:9"], "authentication": login},
        "observers": [{"name": "orders", "class_name": "shop.audit.Orders"}],
    }
    with HostProcess(tmp_path, **told) as host:
        said = eventually(host.readiness, lambda text: "observer orders: the module" in text and "127.0.0.1:9" in text)
        assert host.stop() == 0

    assert "127.0.0.1:9 is not among the hosts that the Secret for Kafka names; add it to the key hosts" in said
    assert "observer orders: the module of shop.audit.Orders cannot be imported" in said
    assert "secret-of-the-host" not in host.log
