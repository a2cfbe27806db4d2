"""Bounds of what a client gets before it signs in: connections of its address, time to authenticate, idle time."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from typing_extensions import override

from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker

ANSWER = b"\0\0\0\5\0\0\0\7\7"
ELSEWHERE = "127.0.0.2"
MIB = 1 << 20
_SASL_HANDSHAKE = struct.pack(">ihhihh5s", 17, 17, 1, 7, -1, 5, b"PLAIN")


def served(stream: socket.socket, request: bytes = list_groups(7)) -> bool:
    """Return whether the client is answered; false where its connection is closed."""
    try:
        stream.sendall(request)
        return stream.recv(len(ANSWER)) == ANSWER
    except ConnectionError:
        return False


def is_closed(stream: socket.socket) -> bool:
    stream.settimeout(60)
    try:
        return stream.recv(1) == b""
    except ConnectionError:
        return True


@contextmanager
def limited(program: Path, folder: Path, bootstrap: str, limits: Mapping[str, int]) -> Iterator[ObserverProcess]:
    """An observer with these limits, whose clients have a second for their first request."""
    observer = ObserverProcess(program, folder, bootstrap=bootstrap, nodes=(), changes={})
    observer.set("limits", {**observer.settings["limits"], **limits})
    with observer.with_arguments("--first-request-seconds", "1"):
        yield observer


def closed(observer: ObserverProcess, end: str) -> float:
    return observer.metrics()[f'kwitness_observer_connections_closed_total{{end="{end}"}}']


def test_ten_thousand_connections_of_one_address_leave_room_for_others(program: Path, tmp_path: Path) -> None:
    with (
        AnsweringBroker() as broker,
        limited(program, tmp_path, broker.bootstrap, {"max_connections_per_address": 20}) as observer,
        ExitStack() as stack,
    ):
        first = stack.enter_context(observer.connect())
        assert served(first)
        before = observer.metrics()["process_resident_memory_bytes"]
        for _ in range(19):
            assert served(stack.enter_context(observer.connect()))
        for _ in range(10_000):
            observer.connect().close()

        assert served(stack.enter_context(observer.connect(ELSEWHERE)))
        eventually(lambda: closed(observer, "address_limit"), lambda count: count == 10_000)
        assert closed(observer, "limit") == 0
        assert observer.metrics()["process_resident_memory_bytes"] - before < 8 * MIB
        assert observer.log().count("too many of its address") == 1

        first.close()
        eventually(lambda: served(stack.enter_context(observer.connect())))


def test_an_address_opens_so_many_connections_in_a_second(program: Path, tmp_path: Path) -> None:
    with (
        AnsweringBroker() as broker,
        limited(program, tmp_path, broker.bootstrap, {"max_connection_rate_per_address": 3}) as observer,
        ExitStack() as stack,
    ):
        streams = [stack.enter_context(observer.connect()) for _ in range(20)]

        assert sum(served(stream) for stream in streams) <= 6  # two seconds may have begun
        assert served(stack.enter_context(observer.connect(ELSEWHERE)))
        assert closed(observer, "address_rate") >= 14
        time.sleep(1)
        assert served(stack.enter_context(observer.connect()))


def test_a_client_that_never_signs_in_is_closed_and_one_that_is_served_stays(program: Path, tmp_path: Path) -> None:
    with (
        AnsweringBroker() as broker,
        limited(program, tmp_path, broker.bootstrap, {"sign_in_ms": 2_000}) as observer,
        ExitStack() as stack,
    ):
        served_before = stack.enter_context(observer.connect())
        assert served(served_before)
        strangers = [stack.enter_context(observer.connect()) for _ in range(50)]

        assert all(served(stream, _SASL_HANDSHAKE) for stream in strangers)
        assert all(is_closed(stream) for stream in strangers)
        eventually(lambda: closed(observer, "sign_in"), lambda count: count == len(strangers))
        assert served(served_before)


def test_a_client_of_a_listener_without_sasl_has_no_deadline_to_sign_in(program: Path, tmp_path: Path) -> None:
    with (
        AnsweringBroker() as broker,
        limited(program, tmp_path, broker.bootstrap, {}) as observer,
        observer.connect() as stream,
    ):
        assert served(stream, _SASL_HANDSHAKE)
        time.sleep(3)
        assert served(stream, _SASL_HANDSHAKE)


class SlowBroker(AnsweringBroker):
    """Answers the first request of a connection at once, and a later one after five seconds."""

    @override
    def answer(self, number: int, key: int) -> None:
        if number > 0:
            time.sleep(5)


def test_an_idle_client_is_closed_and_one_that_waits_for_an_answer_stays(program: Path, tmp_path: Path) -> None:
    with (
        SlowBroker() as broker,
        limited(program, tmp_path, broker.bootstrap, {"idle_ms": 1_500}) as observer,
        observer.connect() as idle,
        observer.connect() as waiting,
    ):
        assert served(idle)
        assert served(waiting)
        waiting.sendall(list_groups(7))

        assert is_closed(idle)
        assert waiting.recv(len(ANSWER)) == ANSWER
        assert closed(observer, "idle") == 1
