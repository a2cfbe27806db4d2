"""Real clients before a real broker: everything goes through the observer, and nothing else does."""

from __future__ import annotations

import gc
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer

from kwitness.contracts.envelopes import OpenConnection, WorkloadName
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import eventually
from tests.observer.dialled_ports import port_of, ports_closed_lately, ports_of_peers
from tests.observer.events_server import EventsServer
from tests.observer.librdkafka import RECORDS, consume_by_librdkafka, produce_by_librdkafka
from tests.observer.observer_process import ObserverProcess, built_observer
from tests.observer.stand import create_topic

pytestmark = pytest.mark.broker

NODE = 1
INVALID_REQUEST = 42
Make = Callable[..., ObserverProcess]


@pytest.fixture(scope="module")
def broker(kafka: LocalBroker) -> LocalBroker:
    """The broker of the run, with this module's topics."""
    for topic in ("everything", "counted", "beside", "unread", "transactions", "restarts"):
        create_topic(kafka.bootstrap, f"relay-{topic}")
    # The clients that made them hold connections until they are collected, and end them in threads of their own.
    gc.collect()
    eventually(ports_of_peers, lambda ports: port_of(kafka.bootstrap) not in ports)
    return kafka


@pytest.fixture(scope="module")
def program() -> Path:
    return built_observer()


@pytest.fixture
def observer(broker: LocalBroker, program: Path, tmp_path: Path) -> Iterator[ObserverProcess]:
    with ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes={}) as observer:
        yield observer


def end_offsets(bootstrap: str, topic: str) -> int:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "offsets"})
    try:
        return sum(consumer.get_watermark_offsets(TopicPartition(topic, partition), 30)[1] for partition in range(3))
    finally:
        consumer.close()


def test_clients_of_two_families_reach_the_broker_only_through_the_observer(
    broker: LocalBroker, observer: ObserverProcess, dialled: set[int]
) -> None:
    produce_by_librdkafka(observer.bootstrap, "relay-everything", **{"compression.type": "lz4"})
    producer = KafkaProducer(bootstrap_servers=observer.bootstrap, client_id="demo-python")
    for number in range(RECORDS):
        producer.send("relay-everything", f"another {number}".encode())
    producer.flush(60)
    producer.close()
    consumer = KafkaConsumer(
        "relay-everything", bootstrap_servers=observer.bootstrap, group_id="python", auto_offset_reset="earliest"
    )
    polled = 0

    def poll() -> int:
        nonlocal polled
        polled += sum(len(records) for records in consumer.poll(1000).values())
        return polled

    eventually(poll, lambda seen: seen >= 2 * RECORDS, every=0)
    consumer.close()
    values = consume_by_librdkafka(observer.bootstrap, "relay-everything", 2 * RECORDS)

    expected = [f"{word} {number}" for word in ("value", "another") for number in range(RECORDS)]
    assert sorted(values) == sorted(expected)
    assert observer.ports <= dialled | ports_closed_lately()
    assert port_of(broker.bootstrap) not in dialled
    metrics = observer.metrics()
    assert metrics.get('kwitness_observer_connections_closed_total{end="error"}', 0) == 0
    assert not [
        sample
        for sample in metrics
        if sample.startswith(("kwitness_observer_opaque_total", "kwitness_observer_unread"))
    ]
    assert end_offsets(broker.bootstrap, "relay-everything") == 2 * RECORDS


def test_what_is_reported_is_what_was_produced_and_what_was_read(
    broker: LocalBroker, program: Path, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("token")
    with EventsServer() as server:
        collector = {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)}
        changes = {"collector": collector}
        with ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes=changes) as observer:
            produce_by_librdkafka(observer.bootstrap, "relay-counted", **{"compression.type": "zstd"})
            consume_by_librdkafka(observer.bootstrap, "relay-counted", RECORDS)
        head = server.heads[-1]

        assert server.records("Produce", "relay-counted") == end_offsets(broker.bootstrap, "relay-counted") == RECORDS
        assert server.records("Fetch", "relay-counted") == RECORDS
        assert head.state.ledger.queued == 0
        assert head.state.ledger.accepted == head.state.ledger.delivered == len(server.rows)
        totals = [entry for one in server.heads for part in one.totals for entry in part.traffic]
        assert (
            sum(entry.records for entry in totals if entry.api == "Produce" and entry.topic == "relay-counted")
            == RECORDS
        )
        codecs = [(entry.api, codec) for entry in totals if entry.topic == "relay-counted" for codec in entry.batches]
        assert set(codecs) == {("Produce", "zstd"), ("Fetch", "zstd")}
        apis = [api for head in server.heads for part in head.totals for api in part.apis]
        assert {acks for api in apis for acks in api.acks} == {"all"}
        software = {row.get("client_software_name") for row in server.rows if row.get("kind") == "opened"}
        assert software == {"confluent-kafka-python"}


def test_a_client_that_is_connected_is_listed_and_one_that_is_refused_for_its_name_is_told_of(
    broker: LocalBroker, program: Path, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("token")
    with EventsServer() as server:
        server.wants_connections = True
        collector = {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)}
        changes = {"collector": collector}
        with ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes=changes) as observer:
            consumer = Consumer({"bootstrap.servers": observer.bootstrap, "group.id": "idle", "client.id": "connected"})
            consumer.list_topics(timeout=60)
            refused = ask(observer.bootstrap, api_versions(b"my shop", b"1.0"))

            def listed() -> list[OpenConnection]:
                open_now = server.heads[-1].open_connections if server.heads else None
                return [one for one in (open_now.connections if open_now else ()) if one.client_id == "connected"]

            eventually(listed, lambda found: any(one.principal for one in found))
            [connection, *_] = (one for one in listed() if one.principal)
            consumer.close()

    assert int.from_bytes(refused[4:6], "big") == INVALID_REQUEST
    assert (connection.state, connection.principal) == ("observed", "User:ANONYMOUS")
    assert connection.client_software_name == "confluent-kafka-python"
    state = server.heads[-1].state
    assert state.api_versions["named"] > 0
    assert {name: count for name, count in state.api_versions.items() if name != "named"} == {
        "unnamed": 0,
        "invalid": 1,
        "unread": 0,
    }
    errors = [
        (entry.client_id, entry.errors)
        for head in server.heads
        for part in head.totals
        for entry in part.apis
        if entry.api == "ApiVersions" and entry.errors
    ]
    assert errors == [("refused", {str(INVALID_REQUEST): 1})]


def api_versions(name: bytes, version: bytes) -> bytes:
    """An ApiVersions request of version 3 by the client `refused`."""
    client_id = b"refused"
    header = struct.pack(">hhih", 18, 3, 7, len(client_id)) + client_id + b"\0"
    software = b"".join(bytes([len(text) + 1]) + text for text in (name, version))
    body = header + software + b"\0"
    return struct.pack(">i", len(body)) + body


def ask(bootstrap: str, request: bytes) -> bytes:
    """The answer, from its correlation id on."""
    host, _, port = bootstrap.rpartition(":")
    with socket.create_connection((host, int(port)), 30) as client:
        client.settimeout(30)
        client.sendall(request)
        reader = client.makefile("rb")
        (length,) = struct.unpack(">i", reader.read(4))
        return reader.read(length)


def test_beside_a_client_brokers_get_ports_as_they_are_seen_and_after_a_crash_it_relays_only(
    broker: LocalBroker, program: Path, dialled: set[int], tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("token")
    with EventsServer() as server:
        changes = {
            "mode": "sidecar",
            "reported_by": "pod",
            "workload": {"kind": "StatefulSet", "name": "edge"},
            "collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)},
        }
        observer = ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes=changes)
        with observer.with_arguments("--marker", str(tmp_path / "marker")):
            produce_by_librdkafka(observer.bootstrap, "relay-beside")
            assert len(consume_by_librdkafka(observer.bootstrap, "relay-beside", RECORDS)) == RECORDS
            eventually(lambda: server.records("Produce", "relay-beside"), RECORDS.__eq__)
            observer.kill()
            observer.start()
            produce_by_librdkafka(observer.bootstrap, "relay-unread")
            assert len(consume_by_librdkafka(observer.bootstrap, "relay-unread", RECORDS)) == RECORDS
            until = observer.metrics()["kwitness_observer_relay_only_until_seconds"]

        assert port_of(broker.bootstrap) not in dialled
        assert "relay-unread" not in {row.get("topic") for row in server.rows}
        of_topic = [row for row in server.rows if row.get("topic") == "relay-beside"]
        assert {row["broker_id"] for row in of_topic} == {f"{broker.node_id}"}
        assert {row["client_address"] for row in server.rows if row.get("kind") == "opened"} == {"10.1.2.3"}
        assert {head.source for head in server.heads} == {"shop/edge-0"}
        first, last = server.heads[0], server.heads[-1]
        assert first.workload == last.workload == WorkloadName(kind="StatefulSet", name="edge")
        assert first.state.relay_only_until_ms is None
        assert last.state.relay_only_until_ms is not None
        assert last.state.relay_only_until_ms // 1000 == until


def test_a_transaction_commits_through_the_observer(broker: LocalBroker, observer: ObserverProcess) -> None:
    producer = Producer({"bootstrap.servers": observer.bootstrap, "transactional.id": "orders"})
    producer.init_transactions(60)
    for _ in range(3):
        producer.begin_transaction()
        for number in range(10):
            producer.produce("relay-transactions", f"{number}")
        producer.commit_transaction(60)

    assert len(consume_by_librdkafka(observer.bootstrap, "relay-transactions", 30)) == 30


def test_clients_go_on_when_the_observer_comes_back_and_has_forgotten_where_brokers_are(
    broker: LocalBroker, observer: ObserverProcess
) -> None:
    outcomes: list[object] = []
    producer = Producer({"bootstrap.servers": observer.bootstrap, "reconnect.backoff.max.ms": 500})

    def delivered() -> int:
        producer.poll(0.2)
        return len(outcomes)

    for sent in (50, 100, 150):
        for number in range(50):
            producer.produce("relay-restarts", f"{number}", on_delivery=lambda error, _: outcomes.append(error))
        eventually(delivered, sent.__le__, every=0)
        observer.kill()
        observer.start()

    assert outcomes == [None] * 150
    assert end_offsets(broker.bootstrap, "relay-restarts") == 150
