"""The limit of open files of an observer's process, which its connections take two of each."""

from __future__ import annotations

import resource
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker
ANSWER = b"\0\0\0\5\0\0\0\7\7"


def port_of(observer: ObserverProcess) -> int:
    return int(observer.settings["listener"]["bootstrap_port"])


def ask(observer: ObserverProcess, stack: ExitStack) -> bytes:
    """Return the answer to a client that then stays."""
    stream = stack.enter_context(socket.create_connection(("127.0.0.1", port_of(observer)), timeout=60))
    try:
        stream.sendall(list_groups(7))
        return stream.recv(len(ANSWER))
    except ConnectionError:
        return b""


def test_the_soft_limit_is_raised_and_no_more_clients_are_let_in_than_the_hard_one_has_room_for(
    program: Path, tmp_path: Path
) -> None:
    limited = tmp_path / "limited"
    limited.write_text(f'#!/bin/sh\nulimit -Sn 100\nulimit -Hn 200\nexec {program} "$@"\n')
    limited.chmod(0o755)
    with AnsweringBroker() as broker, ExitStack() as stack:
        observer = ObserverProcess(limited, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes={})
        stack.enter_context(observer)
        served = (200 - 64) // 2

        assert [ask(observer, stack) for _ in range(served)] == [ANSWER] * served
        assert ask(observer, stack) == b""
        assert observer.metrics()['kwitness_observer_connections_closed_total{end="limit"}'] == 1
        assert "has no room for limits.maxConnections" in observer.log()


def test_clients_that_cannot_be_accepted_are_counted_and_served_later(program: Path, tmp_path: Path) -> None:
    with AnsweringBroker() as broker, ExitStack() as stack:
        observer = ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes={})
        stack.enter_context(observer)
        limit = resource.prlimit(observer.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(observer.pid, resource.RLIMIT_NOFILE, (3, limit[1]))
        stream = stack.enter_context(socket.create_connection(("127.0.0.1", port_of(observer)), timeout=60))
        stream.sendall(list_groups(7))
        eventually(lambda: "no connection can be accepted" in observer.log())
        resource.prlimit(observer.pid, resource.RLIMIT_NOFILE, limit)

        assert stream.recv(len(ANSWER)) == ANSWER
        assert observer.metrics()['kwitness_observer_accept_failed_total{reason="open_files"}'] >= 1
