"""Ports that a sidecar gave to brokers lead to the same brokers after its process was killed."""

from __future__ import annotations

import json
import socket
import struct
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.sandbox.ports import free_port

from tests.eventually import ANSWER_S, eventually
from tests.observer.librdkafka import RECORDS, consume_by_librdkafka, produce_by_librdkafka
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker

LIST_GROUPS = struct.pack(">ihhih", 10, 16, 0, 7, -1)
"""Only the broker itself may answer it."""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "nodes"


@pytest.fixture
def sidecar(kafka: LocalBroker, program: Path, table: Path, tmp_path: Path) -> ObserverProcess:
    changes = {"mode": "sidecar", "reported_by": "pod"}
    observer = ObserverProcess(program, tmp_path, bootstrap=kafka.bootstrap, nodes=(), changes=changes)
    return observer.with_arguments("--nodes", str(table))


def port_of_the_broker(sidecar: ObserverProcess) -> int:
    """As clients get it."""
    (broker,) = AdminClient({"bootstrap.servers": sidecar.bootstrap}).list_topics(timeout=ANSWER_S).brokers.values()
    return int(broker.port)


def answer(port: int) -> bytes:
    """The correlation id and the error code of a list of groups; empty where the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as client:
        client.sendall(LIST_GROUPS)
        return client.recv(10)[4:]


def test_the_next_process_opens_the_same_ports_and_asks_the_same_broker(
    sidecar: ObserverProcess,
) -> None:
    with sidecar:
        produce_by_librdkafka(sidecar.bootstrap, "ports-kept")
        port = port_of_the_broker(sidecar)
        assert answer(port) == struct.pack(">ih", 7, 0)
        sidecar.kill()
        sidecar.start()

        assert answer(port) == struct.pack(">ih", 7, 0)
        assert len(consume_by_librdkafka(sidecar.bootstrap, "ports-kept", RECORDS)) == RECORDS
        assert port_of_the_broker(sidecar) == port


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "EOF while parsing"),
        ('{"1": {"port": 70000}}', "invalid value"),
        ("[" * 200_000, "invalid type"),
        (" " * 500_000 + "{}", "EOF while parsing"),
    ],
    ids=["empty", "no port", "nested", "too large"],
)
def test_a_file_that_cannot_be_read_is_replaced(sidecar: ObserverProcess, table: Path, text: str, reason: str) -> None:
    table.write_text(text)
    with sidecar:
        port = port_of_the_broker(sidecar)

        eventually(lambda: [node["port"] for node in json.loads(table.read_text()).values()], [port].__eq__)
        assert reason in sidecar.log()


def test_an_old_address_and_a_port_in_use_keep_no_client_from_its_broker(sidecar: ObserverProcess, table: Path) -> None:
    gone = f"127.0.0.1:{free_port()}"
    with socket.create_server(("127.0.0.1", 0)) as other, sidecar:
        produce_by_librdkafka(sidecar.bootstrap, "ports-old")
        ((node, kept),) = eventually(lambda: json.loads(table.read_text()).items())
        sidecar.kill()
        in_use = {"port": other.getsockname()[1], "address": gone}
        table.write_text(json.dumps({node: {**kept, "address": gone}, "77": in_use, "-1": kept, "78": kept}))
        sidecar.start()

        assert answer(kept["port"]) == b""
        assert len(consume_by_librdkafka(sidecar.bootstrap, "ports-old", RECORDS)) == RECORDS
        assert answer(kept["port"]) == struct.pack(">ih", 7, 0)
        eventually(lambda: json.loads(table.read_text()), {node: kept}.__eq__)
