"""Senders that connect and stay silent, stall or trickle are ended by deadlines, and hold nobody else up."""

from __future__ import annotations

import contextlib
import resource
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
import requests
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub

from kwitness.e2e.certificates import Authority
from kwitness.runtime.connections import MAX_CONNECTIONS

from tests.collector.collector_process import OTLP, PLUGIN, CollectorProcess
from tests.collector.collector_samples import CLUSTER, batch, counter_push, push
from tests.eventually import ANSWER_S, eventually

Start = Callable[..., CollectorProcess]
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
BAD_REQUEST = b"HTTP/1.0 400 "
MANY = 2_000
SILENT_S = 4.0
SHORT = ("--silent-seconds", str(SILENT_S), "--body-seconds", "5")
"""Time limits that tests can wait for; a sender that is healthy keeps within them here, too."""


@pytest.fixture
def open_sockets() -> Iterator[Callable[[int, int], list[socket.socket]]]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.ExitStack() as stack:

        def make(port: int, number: int) -> list[socket.socket]:
            return [stack.enter_context(socket.create_connection(("127.0.0.1", port), 10)) for _ in range(number)]

        yield make


def is_open(sock: socket.socket) -> bool:
    sock.setblocking(False)
    try:
        while sock.recv(65_536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def descriptors(collector: CollectorProcess) -> int:
    assert collector.process is not None
    return len(list(Path(f"/proc/{collector.process.pid}/fd").iterdir()))


def head(path: str, token: str, *more: str) -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", *more)
    return "\r\n".join(lines).encode()


def seconds_per_push(collector: CollectorProcess, number: int) -> list[float]:
    """Push ``number`` times over a connection of its own each, as hard for a healthy sender as it can be."""
    times = []
    for seq in range(number):
        began = time.monotonic()
        assert collector.push(batch([push(seq, counter_push(1))], epoch=time.time_ns())).status == 200
        times.append(time.monotonic() - began)
    return times


def test_thousands_of_silent_connections_hold_nobody_up_and_are_ended(start: Start, open_sockets) -> None:
    collector = start(arguments=SHORT)
    alone = seconds_per_push(collector, 100)
    descriptors_before, memory_before = descriptors(collector), collector.resident_bytes()

    silent = [sock for port in (collector.port, collector.metrics_port) for sock in open_sockets(port, MANY)]
    beside = seconds_per_push(collector, 100)

    assert sum(is_open(sock) for sock in silent) <= 2 * MAX_CONNECTIONS
    assert collector.resident_bytes() - memory_before < 48 * 1024 * 1024
    # A push that waits for a silent connection waits until that is ended; most take what they took without those.
    assert max(beside) < SILENT_S
    assert statistics.median(beside) < 3 * statistics.median(alone) + 0.02
    eventually(lambda: not any(is_open(sock) for sock in silent))
    eventually(lambda: descriptors(collector) <= descriptors_before + 2)


def test_trickled_headers_are_ended_and_a_stalled_body_is_asked_for_again(start: Start, open_sockets) -> None:
    collector = start(arguments=SHORT)
    trickling, stalled, otlp, chunked, second = (
        *open_sockets(collector.port, 2),
        *open_sockets(collector.otlp_http_port, 1),
        *open_sockets(collector.port, 2),
    )
    kinds = ("Content-Type: application/json", "Content-Length: 1000", "\r\n{")
    stalled.sendall(head("/v1/pushes", PLUGIN, *kinds))
    otlp.sendall(head("/v1/metrics", OTLP, *kinds))
    chunked.sendall(head("/v1/pushes", PLUGIN, kinds[0], "Transfer-Encoding: chunked", "\r\n1\r\n{"))
    second.sendall(head("/v1/nothing", PLUGIN, "Content-Length: 0", "\r\n"))
    trickling.sendall(head("/v1/pushes", PLUGIN, "X-Long: "))

    def is_open_to_a_trickle() -> bool:
        with contextlib.suppress(OSError):
            trickling.send(b"x")
        return is_open(trickling)

    eventually(is_open_to_a_trickle, lambda open_: not open_, every=1)
    for sock in (stalled, otlp, chunked):
        sock.setblocking(True)
        sock.settimeout(ANSWER_S)
        answer = sock.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 503 "), answer[:200]
        assert b"Retry-After:" in answer
    assert is_open(second)
    assert collector.push(batch([push(1, counter_push(1))])).status == 200
    assert "Traceback" not in collector.log.read_text()


def test_a_sender_that_hangs_up_or_breaks_the_protocol_is_no_failure_of_ours(start: Start, open_sockets) -> None:
    collector = start()
    gone, broken, garbage = open_sockets(collector.port, 3)
    gone.sendall(head("/v1/pushes", PLUGIN, "Content-Type: application/json", "Content-Length: 1000", "\r\n{"))
    broken.sendall(
        head("/v1/pushes", PLUGIN, "Content-Type: application/json", "Transfer-Encoding: chunked", "\r\nxyz\r\n")
    )
    garbage.sendall(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
    time.sleep(0.3)
    gone.close()
    broken.settimeout(ANSWER_S)
    garbage.settimeout(ANSWER_S)

    assert broken.recv(65_536).startswith(BAD_REQUEST)
    assert garbage.recv(65_536).startswith(BAD_REQUEST)
    assert collector.push(batch([push(1, counter_push(1))])).status == 200
    assert not [line for line in collector.log.read_text().splitlines() if '"INFO"' not in line]


def test_a_reader_that_does_not_read_does_not_delay_others(start: Start, open_sockets) -> None:
    collector = start()
    for sock in open_sockets(collector.metrics_port, 200):
        sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")

    assert collector.scrape()["kwitness_clients"]
    assert collector.push(batch([push(1, counter_push(1))])).status == 200


def test_with_few_file_descriptors_the_longest_silent_connections_give_way(start: Start, open_sockets) -> None:
    collector = start(arguments=SHORT)
    assert collector.process is not None
    resource.prlimit(collector.process.pid, resource.RLIMIT_NOFILE, (200, 200))

    silent = open_sockets(collector.port, 400)

    began = time.monotonic()
    assert collector.push(batch([push(1, counter_push(5))])).status == 200
    assert time.monotonic() - began < SILENT_S
    eventually(lambda: not any(is_open(sock) for sock in silent))


@pytest.fixture
def with_tls(start: Start, tmp_path: Path) -> CollectorProcess:
    authority = Authority("test")
    issued = authority.issue("collector", ["localhost"])
    for name, content in (("tls.crt", issued.certificate), ("tls.key", issued.key), ("ca.crt", authority.certificate)):
        (tmp_path / name).write_text(content)
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{PLUGIN} plugin {CLUSTER}\n{OTLP} otlp {CLUSTER}\n")
    files = {"tls_cert_file": str(tmp_path / "tls.crt"), "tls_key_file": str(tmp_path / "tls.key")}
    return start(config={"ingest": {**files, "tokens_file": str(tokens)}}, arguments=SHORT)


def test_handshakes_that_never_come_are_ended_too(with_tls: CollectorProcess, open_sockets, tmp_path: Path) -> None:
    before = descriptors(with_tls)
    silent = open_sockets(with_tls.port, MANY)
    open_sockets(with_tls.port, 1)[0].sendall(b"GET / HTTP/1.1\r\n\r\n")

    answer = requests.post(
        f"https://localhost:{with_tls.port}/v1/pushes",
        json=batch([push(1, counter_push(1))]),
        headers={"Authorization": f"Bearer {PLUGIN}"},
        verify=str(tmp_path / "ca.crt"),
        timeout=ANSWER_S,
    )

    assert answer.status_code == 200
    eventually(lambda: not any(is_open(sock) for sock in silent))
    eventually(lambda: descriptors(with_tls) <= before + 2)
    assert "Traceback" not in with_tls.log.read_text()


@contextlib.contextmanager
def never() -> Iterator[Iterator[bytes]]:
    """Messages of which none comes within the block."""
    over = threading.Event()

    def wait() -> Iterator[bytes]:
        over.wait()
        yield b""

    try:
        yield wait()
    finally:
        over.set()


def test_grpc_ends_silent_connections_and_streams_that_stall(start: Start, open_sockets) -> None:
    collector = start(arguments=SHORT)
    silent = open_sockets(collector.otlp_grpc_port, 500)
    for sock in silent[:100]:
        sock.sendall(HTTP2_PREFACE[:10])
    metadata = [("authorization", f"Bearer {OTLP}")]

    def stall(_: int) -> grpc.StatusCode:
        with grpc.insecure_channel(f"127.0.0.1:{collector.otlp_grpc_port}") as channel:
            export = channel.stream_unary("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export")

            with never() as messages:
                try:
                    export(messages, metadata=metadata, timeout=ANSWER_S)
                except grpc.RpcError as error:
                    return error.code()
            return grpc.StatusCode.OK

    with ThreadPoolExecutor(4) as pool:
        stalled = pool.map(stall, range(4))
        with grpc.insecure_channel(f"127.0.0.1:{collector.otlp_grpc_port}") as channel:
            MetricsServiceStub(channel).Export(ExportMetricsServiceRequest(), metadata=metadata, timeout=ANSWER_S)
        eventually(lambda: not any(is_open(sock) for sock in silent))
        assert set(stalled) == {grpc.StatusCode.UNAVAILABLE}


def test_grpc_looks_at_the_token_before_it_waits_for_a_body(start: Start) -> None:
    collector = start()
    with grpc.insecure_channel(f"127.0.0.1:{collector.otlp_grpc_port}") as channel:
        export = channel.stream_unary("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export")
        with never() as messages, pytest.raises(grpc.RpcError) as refused:
            export(messages, metadata=[("authorization", "Bearer wrong")], timeout=ANSWER_S)

    assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
