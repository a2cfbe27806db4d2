"""Memory of all connections stays within the budget of the process, however clients and brokers behave."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from kwitness.sandbox.ports import free_port

from tests.eventually import eventually, remains
from tests.observer.answering_broker import list_groups
from tests.observer.observer_process import ObserverProcess
from tests.observer.test_hostile_clients import may_open

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MIB = 1 << 20
BUDGET = 16 * MIB
CLIENTS = 100
BESIDE = 40 * MIB
"""Growth beside the budget: buffers of the allocator and of threads, the free part of each connection."""
TOPICS = 9_900
BUSY_MB = 40
"""MB that docs/operations/limits.md gives for 1,000 busy connections, and half as much for noise."""


class MetadataBroker:
    """Answers Metadata with 50,000 topics and ListGroups with nothing, or keeps silent; use as a context manager."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=2_000)
        broker = struct.pack(">iih", 1, 0, 9) + b"127.0.0.1" + struct.pack(">ih", 9092, -1)
        topics = b"".join(struct.pack(">hh", 0, 97) + name(number) + b"\0" + bytes(4) for number in range(50_000))
        self.metadata = broker + struct.pack(">ii", 0, 50_000) + topics

    @property
    def bootstrap(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as requests:
            while len(length := requests.read(4)) == 4:
                request = requests.read(struct.unpack(">i", length)[0])
                if not self._silent:
                    body = request[4:8] + (self.metadata if request[:2] == b"\0\3" else bytes(6))
                    connection.sendall(struct.pack(">i", len(body)) + body)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def name(number: int) -> bytes:
    return f"{number:097}".encode()


def metadata() -> bytes:
    """A Metadata request of version 1 for all topics."""
    return struct.pack(">ihhihi", 14, 3, 1, 1, -1, -1)


def produce(topics: int = TOPICS) -> bytes:
    """A Produce request of version 3 that writes nothing to so many topics."""
    written = b"".join(struct.pack(">h", 97) + name(number) + struct.pack(">iii", 1, 0, 0) for number in range(topics))
    body = struct.pack(">hhihhhii", 0, 3, 1, -1, -1, 1, 1_000, topics) + written
    return struct.pack(">i", len(body)) + body


def fetch() -> bytes:
    """A Fetch request of version 4 for 100 partitions."""
    partitions = b"".join(struct.pack(">iqi", number, 0, 1 << 20) for number in range(100))
    body = struct.pack(">hhihiiiib", 1, 4, 2, -1, -1, 500, 1, 1 << 20, 0) + struct.pack(">ih", 1, 97) + name(1)
    body += struct.pack(">i", 100) + partitions
    return struct.pack(">i", len(body)) + body


def observer_with_a_budget(program: Path, folder: Path, broker: MetadataBroker, **changes: object) -> ObserverProcess:
    limits = {
        "max_connections": 2_000,
        "max_frame_bytes": 104_857_600,
        "max_series": 10_000,
        "queue_bytes": 1_000_000,
        "max_rewrite_bytes": 16_777_216,
        "max_buffer_bytes": BUDGET,
    }
    changes = {"limits": limits, **changes}
    observer = ObserverProcess(program, folder, bootstrap=broker.bootstrap, nodes=(), changes=changes)
    # While there is no room, first requests of a megabyte are not read; each client is to stay while others send.
    return observer.with_arguments("--first-request-seconds", "40")


def connected(stack: contextlib.ExitStack, observer: ObserverProcess) -> socket.socket:
    """A client that the system takes little for."""
    client = stack.enter_context(socket.socket())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    client.settimeout(240)
    host, port = observer.bootstrap.split(":")
    client.connect((host, int(port)))
    return client


class Senders:
    """Clients that send the same content from its beginning, as far as it is taken."""

    def __init__(self, clients: list[socket.socket], content: bytes) -> None:
        self._content = content
        self._sent = dict.fromkeys(clients, 0)
        for client in clients:
            client.setblocking(False)

    def send(self) -> int:
        """Send from all clients in turn until no connection takes more; how many bytes were taken so far."""
        before = -1
        while (total := sum(self._sent.values())) != before:
            before = total
            for client, sent in self._sent.items():
                with contextlib.suppress(BlockingIOError):
                    self._sent[client] += client.send(self._content[sent : sent + (1 << 16)])
        return total


def test_requests_without_answers_stay_within_the_budget(program: Path, tmp_path: Path) -> None:
    may_open(8 * CLIENTS)
    content = produce() + b"".join(list_groups(number) for number in range(2, 16_000))
    with (
        MetadataBroker(silent=True) as broker,
        observer_with_a_budget(program, tmp_path, broker) as observer,
    ):
        before = observer.metrics()["process_resident_memory_bytes"]
        with contextlib.ExitStack() as stack:
            senders = Senders([connected(stack, observer) for _ in range(CLIENTS)], content)

            def sent() -> dict[str, float]:
                senders.send()
                return observer.metrics()

            waits, kept = "kwitness_observer_buffer_waits_total", "kwitness_observer_buffered_bytes"
            full = eventually(sent, lambda now: now[waits] > 0 and now[kept] >= BUDGET, every=0.01)
            assert full["kwitness_observer_buffer_limit_bytes"] == BUDGET
            most = before + BUDGET + BESIDE
            remains(sent, lambda now: now["process_resident_memory_bytes"] < most, seconds=3, every=0.01)
        eventually(lambda: observer.metrics()["kwitness_observer_buffered_bytes"], lambda now: now == 0)


def test_responses_that_clients_do_not_read_stay_within_the_budget(program: Path, tmp_path: Path) -> None:
    may_open(8 * CLIENTS)
    with (
        MetadataBroker(silent=False) as broker,
        observer_with_a_budget(program, tmp_path, broker) as observer,
        contextlib.ExitStack() as healthy,
    ):
        before = observer.metrics()["process_resident_memory_bytes"]
        with contextlib.ExitStack() as stack:
            for _ in range(CLIENTS):
                connected(stack, observer).sendall(metadata())
            full = eventually(observer.metrics, lambda now: now["kwitness_observer_buffer_waits_total"] > CLIENTS / 2)
            time.sleep(2)
            assert observer.metrics()["process_resident_memory_bytes"] < before + BUDGET + BESIDE
            assert full["kwitness_observer_buffered_bytes"] >= BUDGET

            # What need not be kept passes all the same.
            client = connected(healthy, observer)
            responses = healthy.enter_context(client.makefile("rb"))
            client.sendall(list_groups(7))
            assert responses.read(14)[4:8] == struct.pack(">i", 7)
            client.sendall(metadata())
        # Once there is room the response that waited comes whole.
        length = struct.unpack(">i", responses.read(4))[0]
        assert len(responses.read(length)) == length > 5_000_000
        eventually(lambda: observer.metrics()["kwitness_observer_buffered_bytes"], lambda now: now == 0)


def test_requests_beyond_the_budget_pass_unread_where_nothing_is_rewritten(program: Path, tmp_path: Path) -> None:
    may_open(8 * CLIENTS)
    content = produce() + b"".join(list_groups(number) for number in range(2, 16_000))
    listener = {"name": "INTERNAL", "bind": "127.0.0.1", "bootstrap_port": free_port(), "advertised_host": "127.0.0.1"}
    beside = {"mode": "broker", "reported_by": "broker", "listener": {**listener, "brokers": {}}}
    with (
        MetadataBroker(silent=True) as broker,
        observer_with_a_budget(program, tmp_path, broker, **beside) as observer,
        contextlib.ExitStack() as stack,
    ):
        before = observer.metrics()["process_resident_memory_bytes"]
        senders = Senders([connected(stack, observer) for _ in range(CLIENTS)], content)

        eventually(senders.send, lambda sent: sent == CLIENTS * len(content), every=0.01)
        unread = 'kwitness_observer_opaque_total{reason="in_flight"}'
        after = eventually(observer.metrics, lambda now: now.get(unread, 0) > CLIENTS / 2)
        assert after["process_resident_memory_bytes"] < before + BUDGET + BESIDE


def test_busy_connections_cost_less_than_documented(
    program: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Each has five Produce requests of ten topics and a Fetch of 100 partitions under way."""
    count = 1_000
    may_open(8 * count)
    content = produce(10) * 5 + fetch()
    with (
        MetadataBroker(silent=True) as broker,
        observer_with_a_budget(program, tmp_path, broker) as observer,
        contextlib.ExitStack() as stack,
    ):
        before = observer.metrics()["process_resident_memory_bytes"]
        for _ in range(count):
            connected(stack, observer).sendall(content)
        passed = 'kwitness_observer_bytes_total{direction="request"}'
        after = eventually(observer.metrics, lambda now: now[passed] == count * len(content))
        cost = (after["process_resident_memory_bytes"] - before) / 1e6
        record_property("busy_mb", round(cost, 1))

        assert cost < BUSY_MB
        assert after['kwitness_observer_connections{state="observed"}'] == count
