"""The port of a broker whose address the observer does not know: another broker never answers in its place."""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from kwitness.sandbox.ports import free_port

from tests.eventually import ANSWER_S
from tests.observer.answering_broker import AnsweringBroker
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker

NODE = 1
PASSING = 17
ABOUT_ONE_BROKER = {
    "ListGroups": 16,
    "AlterReplicaLogDirs": 34,
    "DescribeLogDirs": 35,
    "DescribeProducers": 61,
    "ListTransactions": 66,
}


class Broker(AnsweringBroker):
    """Remembers the APIs of its requests."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[int] = []

    @override
    def answer(self, number: int, key: int) -> None:
        self.keys.append(key)


def request(key: int) -> bytes:
    body = struct.pack(">hhih", key, 0, 7, -1) + bytes(8)
    return struct.pack(">i", len(body)) + body


@pytest.mark.parametrize("pieces", [1, 5])
@pytest.mark.parametrize("key", ABOUT_ONE_BROKER.values(), ids=ABOUT_ONE_BROKER)
def test_a_request_about_one_broker_never_reaches_another(program: Path, tmp_path: Path, key: int, pieces: int) -> None:
    with (
        Broker() as broker,
        ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes={}) as observer,
        socket.create_connection(
            ("127.0.0.1", observer.settings["listener"]["brokers"][str(NODE)]), timeout=ANSWER_S
        ) as client,
    ):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(request(PASSING))
        assert len(client.recv(9)) == 9
        question = request(key)
        size = len(question) // pieces
        try:
            for start in range(0, len(question), size):
                client.sendall(question[start : start + size])
            answer = client.recv(9)
        except ConnectionError:
            answer = b""

        assert answer == b""
        assert broker.keys == [PASSING]
        assert "only another broker could answer" in observer.log()


def upstream(broker: Broker, address: str) -> dict[str, Any]:
    return {"upstream": {"bootstrap_servers": [broker.bootstrap], "tls": None, "nodes": {str(NODE): address}}}


def test_a_broker_of_the_settings_answers_for_itself(program: Path, tmp_path: Path) -> None:
    with (
        Broker() as other,
        Broker() as broker,
        ObserverProcess(
            program,
            tmp_path,
            bootstrap=other.bootstrap,
            nodes=(NODE,),
            changes=upstream(other, broker.bootstrap),
        ) as observer,
        socket.create_connection(
            ("127.0.0.1", observer.settings["listener"]["brokers"][str(NODE)]), timeout=ANSWER_S
        ) as client,
    ):
        for key in ABOUT_ONE_BROKER.values():
            client.sendall(request(key))
            assert len(client.recv(9)) == 9

        assert broker.keys == [*ABOUT_ONE_BROKER.values()]
        assert other.keys == []


def test_where_the_settings_have_an_old_address_no_other_broker_answers_for_it(program: Path, tmp_path: Path) -> None:
    with (
        Broker() as broker,
        ObserverProcess(
            program,
            tmp_path,
            bootstrap=broker.bootstrap,
            nodes=(NODE,),
            changes=upstream(broker, f"127.0.0.1:{free_port()}"),
        ) as observer,
        socket.create_connection(
            ("127.0.0.1", observer.settings["listener"]["brokers"][str(NODE)]), timeout=ANSWER_S
        ) as client,
    ):
        client.sendall(request(PASSING))
        assert len(client.recv(9)) == 9
        client.sendall(request(ABOUT_ONE_BROKER["ListGroups"]))

        assert client.recv(9) == b""
        assert broker.keys == [PASSING]


def test_at_the_bootstrap_port_any_broker_answers(program: Path, tmp_path: Path) -> None:
    with (
        Broker() as broker,
        ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes={}) as observer,
        observer.connect() as client,
    ):
        client.sendall(request(ABOUT_ONE_BROKER["ListGroups"]))
        assert len(client.recv(9)) == 9
