"""TLS that a gateway ends: who is let in, what is logged of the others, and certificates that change."""

from __future__ import annotations

import json
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.certificates import Authority

from tests.eventually import eventually, remains
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.events_server import EventsServer
from tests.observer.listener_certificates import ListenerCertificates
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker
FAILED = "A client was closed because TLS with it failed"


@pytest.fixture(scope="module")
def server() -> Iterator[AnsweringBroker]:
    with AnsweringBroker() as server:
        yield server


@pytest.fixture
def files(tmp_path: Path) -> ListenerCertificates:
    return ListenerCertificates(tmp_path / "listener")


def observer(program: Path, folder: Path, server: AnsweringBroker | str, tls: Any, **changes: Any) -> ObserverProcess:
    bootstrap = server if isinstance(server, str) else server.bootstrap
    made = ObserverProcess(program, folder, bootstrap=bootstrap, nodes=(1,), changes=changes)
    made.set("listener", {**made.settings["listener"], "tls": tls})
    return made


def port_of(running: ObserverProcess) -> int:
    return int(running.settings["listener"]["bootstrap_port"])


def rest(connection: socket.socket) -> tuple[bytes, bool]:
    """Return what still comes, and True if it ends by a reset."""
    got = bytearray()
    try:
        while part := connection.recv(1 << 16):
            got += part
    except ConnectionResetError:
        return bytes(got), True
    return bytes(got), False


def ask(stream: socket.socket) -> bytes:
    stream.sendall(list_groups(7))
    return stream.recv(9)


def is_closed(stream: socket.socket) -> bool:
    try:
        return stream.recv(9) == b""
    except ConnectionResetError:
        return True


def logged(running: ObserverProcess, message: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, running.log().splitlines()) if line["message"] == message]


def failures(running: ObserverProcess) -> dict[str, float]:
    name = "kwitness_observer_tls_failed_total"
    return {sample: count for sample, count in running.metrics().items() if sample.startswith(name)}


def test_clients_without_a_certificate_are_served_and_told_of_as_kafka_spells_it(
    program: Path, server: AnsweringBroker, files: ListenerCertificates, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("token")
    with EventsServer() as events:
        collector = {"url": events.url, "replicas": 1, "ca_file": None, "token_file": str(token)}
        running = observer(program, tmp_path, server, files.settings(), collector=collector)
        with running, files.connect(port_of(running)) as stream:
            assert ask(stream) == b"\0\0\0\5\0\0\0\7\7"
            assert stream.version() == "TLSv1.3"

    [opened] = [row for row in events.rows if row.get("kind") == "opened"]
    assert opened["security_protocol"] == "SSL"
    assert (opened["principal"], opened["principal_source"]) == ("User:ANONYMOUS", "none")


def test_clients_that_are_not_let_in_are_counted_and_have_one_line_in_a_minute(
    program: Path, server: AnsweringBroker, files: ListenerCertificates, tmp_path: Path
) -> None:
    stranger = files.client_files("stranger", Authority("somebody else"))
    with observer(program, tmp_path, server, files.settings(mutual=True)) as running:
        port = port_of(running)
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as plaintext:
                plaintext.sendall(list_groups(7))
                assert is_closed(plaintext)
        for client in (None, stranger):
            # The client's part of the handshake is over before the certificate is judged.
            with pytest.raises(ssl.SSLError), files.connect(port, client=client) as stream:
                ask(stream)
        with pytest.raises(ssl.SSLCertVerificationError):
            files.connect(port, trusted=Authority("somebody else"))
        with files.connect(port, client=files.client_files()) as stream:
            assert ask(stream) == b"\0\0\0\5\0\0\0\7\7"

        name = "kwitness_observer_tls_failed_total"
        expected = {"certificate_missing": 1, "certificate_refused": 1, "distrusted": 1, "plaintext": 2}
        wanted = {f'{name}{{reason="{reason}"}}': float(count) for reason, count in expected.items()}
        assert eventually(lambda: failures(running), lambda seen: seen == wanted) == wanted
        [line] = logged(running, FAILED)
    assert (line["source"], line["failure"]) == ("127.0.0.1", "plaintext")
    assert "security.protocol" in line["reason"]


def test_a_client_that_stops_within_its_handshake_is_closed(
    program: Path, server: AnsweringBroker, files: ListenerCertificates, tmp_path: Path
) -> None:
    running = observer(program, tmp_path, server, files.settings())
    with running.with_arguments("--first-request-seconds", "1"):
        with socket.create_connection(("127.0.0.1", port_of(running)), timeout=30) as stream:
            stream.sendall(b"\x16\x03\x01\x02\x00")
            assert is_closed(stream)
        assert failures(running) == {'kwitness_observer_tls_failed_total{reason="deadline"}': 1.0}


def test_certificates_are_taken_from_changed_files_unless_they_are_bad(
    program: Path, server: AnsweringBroker, files: ListenerCertificates, tmp_path: Path
) -> None:
    refused = "The listener's certificate is refused, the last good one stays"

    def shown() -> bytes | None:
        with files.connect(port_of(running)) as stream:
            return stream.getpeercert(binary_form=True)

    with observer(program, tmp_path, server, files.settings()) as running:
        held = files.connect(port_of(running))
        first = shown()
        own = files.key.read_text()
        files.key.write_text(files.authority.issue("another").key)
        [line] = eventually(lambda: logged(running, refused))
        assert line["file"] == str(files.key)
        assert str(files.certificate) in line["reason"]
        assert running.metrics()["kwitness_observer_certificate_refused_total"] == 1
        assert shown() == first
        files.certificate.write_text("nothing")
        eventually(lambda: logged(running, refused), lambda lines: len(lines) == 2)
        assert shown() == first

        issued = files.renew()
        renewed = ssl.PEM_cert_to_DER_cert(issued.certificate)
        assert eventually(shown, lambda now: now == renewed) == renewed
        assert ask(held) == b"\0\0\0\5\0\0\0\7\7"
        held.close()
        for secret in (own, issued.key):
            assert secret.splitlines()[1] not in running.log()


def test_nobody_is_served_in_plaintext_while_a_certificate_is_missing(
    program: Path, server: AnsweringBroker, files: ListenerCertificates, tmp_path: Path
) -> None:
    with observer(program, tmp_path, server, None) as running:
        with socket.create_connection(("127.0.0.1", port_of(running)), timeout=30) as stream:
            assert ask(stream) == b"\0\0\0\5\0\0\0\7\7"
        missing = {**files.settings(), "key_file": str(tmp_path / "none")}
        running.set("listener", {**running.settings["listener"], "tls": missing})
        eventually(lambda: running.trouble() == "the listener has no certificate to show")
        with pytest.raises((ssl.SSLError, ConnectionError)):
            files.connect(port_of(running))

        running.set("listener", {**running.settings["listener"], "tls": files.settings()})
        eventually(lambda: running.trouble() is None)
        with files.connect(port_of(running)) as stream:
            assert ask(stream) == b"\0\0\0\5\0\0\0\7\7"


def reset(stream: socket.socket) -> None:
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.close()


def kill(stream: socket.socket) -> None:
    stream.shutdown(socket.SHUT_WR)
    stream.close()


@pytest.mark.parametrize("end", [lambda stream: stream.shutdown(socket.SHUT_WR), kill, reset])
def test_what_a_client_wrote_reaches_the_broker_after_an_end_without_close_notify(
    program: Path, files: ListenerCertificates, tmp_path: Path, end: Callable[[socket.socket], None]
) -> None:
    frame = struct.pack(">i", 1 << 16) + list_groups(7)[4:].ljust(1 << 16, b"\0")
    sent, read = 6 * frame, 'kwitness_observer_bytes_total{direction="request"}'
    ended = 'kwitness_observer_connections_closed_total{end="client"}'
    with socket.create_server(("127.0.0.1", 0)) as broker:  # connections wait unread until they are accepted
        broker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        running = observer(program, tmp_path, f"127.0.0.1:{broker.getsockname()[1]}", files.settings())
        with running, files.connect(port_of(running)) as stream:
            stream.sendall(sent)
            eventually(lambda: running.metrics()[read] == len(sent))
            end(stream)
            connection, _ = broker.accept()
            with connection:
                connection.sendall(b"\0\0\0\5\0\0\0\7\7")
                remains(lambda: running.metrics()[ended], lambda count: count == 0, seconds=0.3, every=0.1)
                got, is_reset = rest(connection)
            eventually(lambda: running.metrics()[ended] == 1)
    assert (len(got), is_reset) == (len(sent), end is reset)
    assert got == sent


def test_an_end_of_the_broker_without_close_notify_reaches_the_client_as_it_is(
    program: Path, files: ListenerCertificates, tmp_path: Path
) -> None:
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(files.certificate, files.key)
    answer = struct.pack(">ii", 1 << 20, 7).ljust(4 + (1 << 20), b"\0")

    def serve(broker: socket.socket) -> None:
        with served.wrap_socket(broker.accept()[0], server_side=True) as connection:
            assert connection.recv(1 << 16) == list_groups(7)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as broker, ThreadPoolExecutor() as serving:
        broker.settimeout(60)
        done = serving.submit(serve, broker)
        servers = [f"127.0.0.1:{broker.getsockname()[1]}"]
        upstream = {"bootstrap_servers": servers, "tls": {"ca_file": str(files.trusted())}}
        running = observer(program, tmp_path, servers[0], files.settings(), upstream=upstream)
        with running, files.connect(port_of(running), suppress_ragged_eofs=False) as stream:
            stream.sendall(list_groups(7))
            done.result(timeout=60)
            got = b""
            while len(got) < len(answer):
                got += stream.recv(1 << 16)
            with pytest.raises(ssl.SSLEOFError):
                stream.recv(1)
    assert got == answer
