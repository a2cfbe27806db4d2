"""A listener may be anyone's: answers that need more memory than there is cost its own KafkaCluster, and no other."""

from __future__ import annotations

import re
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.operator.surroundings import apply, cluster, ready, until_reason

pytestmark = pytest.mark.broker

MIB = 1024 * 1024
IDLE_MIB = 150
"""An operator's memory without any cluster, with a margin."""


def _versions(size: int) -> Callable[[int], bytes]:
    """ApiVersionsResponse of version 0 with as many entries as there is room for."""
    count = size // 6
    entries = struct.pack(">hhh", 1, 0, 9) * count
    return lambda correlation: struct.pack(">ihi", correlation, 0, count) + entries


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[int], bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.answer = answer


class _Connection(socketserver.BaseRequestHandler):
    request: socket.socket
    server: _Listener

    def handle(self) -> None:
        try:
            while len(head := self.request.recv(12, socket.MSG_WAITALL)) == 12:
                length, _key, version, correlation = struct.unpack(">ihhi", head)
                self.request.recv(length - 8, socket.MSG_WAITALL)
                # As brokers do where they know no such version; it is repeated with version 0.
                answer = self.server.answer(correlation) if version == 0 else struct.pack(">ihi", correlation, 35, 0)
                self.request.sendall(struct.pack(">i", len(answer)) + answer)
        except OSError:
            # The operator has seen enough.
            return


@pytest.fixture
def listeners() -> Iterator[dict[str, str]]:
    """Addresses by how their answers are too large."""
    served = {"long": _Listener(_versions(16 * MIB)), "dense": _Listener(_versions(4 * MIB - 64))}
    for server in served.values():
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {name: f"127.0.0.1:{server.server_address[1]}" for name, server in served.items()}
    for server in served.values():
        server.shutdown()
        server.server_close()


def _peak_mib(pid: int) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def test_a_cluster_with_too_large_answers_is_not_ready_and_costs_no_other(
    api, namespace, clean_broker, listeners, start_operator
):
    apply(api, *(cluster(name, namespace, address) for name, address in listeners.items()))
    operator = start_operator(imports=True)
    for name in listeners:
        until_reason(api, "kfc", name, namespace, "AnswerTooLarge")
    apply(api, cluster("good", namespace, clean_broker.bootstrap))
    until_reason(api, "kfc", "good", namespace, "Connected")
    assert {ready(api, "kfc", name, namespace)["status"] for name in listeners} == {"False"}
    eventually(lambda: operator.probe("/readyz")[0] == 200)
    assert _peak_mib(operator.process.pid) < IDLE_MIB
