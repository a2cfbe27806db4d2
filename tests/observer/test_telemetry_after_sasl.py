"""An observer answers telemetry of clients with SASL after the broker has let them in."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from kwitness.e2e.kafka.local_broker import Listener, LocalBroker

from tests.eventually import ANSWER_S, eventually
from tests.observer.observer_process import ObserverProcess
from tests.observer.sign_in import SignIn

pytestmark = pytest.mark.broker

API_VERSIONS, HANDSHAKE, AUTHENTICATE, GET_SUBSCRIPTIONS = 18, 17, 36, 71
NO_INSTANCE = bytes(16)


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalBroker]:
    with LocalBroker(listeners=[Listener.SASL_PLAINTEXT_PLAIN]) as broker:
        yield broker


@pytest.fixture
def observer(program: Path, broker: LocalBroker, tmp_path: Path) -> Iterator[ObserverProcess]:
    """An observer whose collector is away: clients are asked for nothing."""
    token = tmp_path / "token"
    token.write_text("token")
    collector = {"url": "http://127.0.0.1:1", "replicas": 1, "ca_file": None, "token_file": str(token)}
    changes = {
        "telemetry": {"max_instances": 100, "max_push_bytes": 1_048_576, "sasl": True},
        "collector": collector,
    }
    bootstrap = broker.bootstrap_of(Listener.SASL_PLAINTEXT_PLAIN)
    with ObserverProcess(program, tmp_path, bootstrap=bootstrap, nodes=(broker.node_id,), changes=changes) as process:
        yield process


class Connection:
    """Sends requests by hand, and returns the bodies of answers; empty where the connection is closed."""

    def __init__(self, observer: ObserverProcess) -> None:
        host, _, port = observer.bootstrap.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), ANSWER_S)

    def request(self, key: int, version: int, body: bytes, *, flexible: bool = False) -> bytes:
        header = struct.pack(">hhih", key, version, 7, 1) + b"c" + (b"\0" if flexible else b"")
        self._socket.sendall(struct.pack(">i", len(header + body)) + header + body)
        with contextlib.suppress(ConnectionError):
            if length := self._read(4):
                return self._read(struct.unpack(">i", length)[0])[4:]
        return b""

    def subscriptions(self) -> bytes:
        return self.request(GET_SUBSCRIPTIONS, 0, NO_INSTANCE + b"\0", flexible=True)

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size and (piece := self._socket.recv(size - len(found))):
            found += piece
        return found


def test_the_broker_answers_what_comes_before_authentication(observer: ObserverProcess) -> None:
    connection = Connection(observer)

    assert connection.request(API_VERSIONS, 0, b"")
    assert connection.subscriptions() == b""


@pytest.mark.parametrize(("password", "answers"), [("alice-secret", True), ("wrong", False)])
def test_the_observer_answers_after_the_broker_has_let_the_client_in(
    observer: ObserverProcess, password: str, answers: bool
) -> None:
    connection = Connection(observer)
    token = f"\0alice\0{password}".encode()

    assert connection.request(API_VERSIONS, 0, b"")
    assert connection.request(HANDSHAKE, 1, struct.pack(">h", 5) + b"PLAIN")
    connection.request(AUTHENTICATE, 0, struct.pack(">i", len(token)) + token)

    assert bool(connection.subscriptions()) == answers


def test_a_client_of_a_listener_with_sasl_is_answered(observer: ObserverProcess) -> None:
    way = SignIn("alice", "alice-secret", "PLAIN").librdkafka()
    producer = Producer({"bootstrap.servers": observer.bootstrap, "enable.metrics.push": True, **way})
    name = 'kwitness_observer_telemetry_requests_total{api="GetTelemetrySubscriptions",error="NONE"}'

    def answered() -> float:
        producer.poll(0)
        return observer.metrics().get(name, 0)

    assert eventually(answered, lambda count: count > 0)
