"""The CA certificates that an observer trusts towards brokers, in a file that changes while it runs."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import os
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.certificates import Authority

from tests.eventually import eventually
from tests.observer.answering_broker import list_groups
from tests.observer.listener_certificates import ListenerCertificates
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker
ANSWER = b"\0\0\0\5\0\0\0\7\7"
LEFT_OUT = "CA certificates cannot be parsed and are left out"
REFUSED = "The CA certificates of a file are refused, the last good ones stay"
READ_EVERY_S = 1
IN_OPEN, IN_CLOSE = 0x20, 0x10
EVENT_BYTES = 16
"""Of an event of inotify, which has no name where a file alone is watched."""
NO_CERTIFICATE = (
    f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(b'no certificate').decode()}\n-----END CERTIFICATE-----\n"
)


@pytest.fixture
def files(tmp_path: Path) -> ListenerCertificates:
    return ListenerCertificates(tmp_path / "broker")


@contextlib.contextmanager
def broker(files: ListenerCertificates) -> Iterator[str]:
    """A broker that speaks TLS with the certificate of the files as they are at each connection."""

    def serve(stream: socket.socket) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(files.certificate, files.key)
        with contextlib.suppress(OSError), context.wrap_socket(stream, server_side=True) as encrypted:
            while encrypted.recv(len(list_groups(7))):
                encrypted.sendall(ANSWER)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def observer(
    program: Path, folder: Path, bootstrap: str, ca_file: Path | None, bundle: Path | None = None
) -> ObserverProcess:
    upstream = {"bootstrap_servers": [bootstrap], "tls": {"ca_file": str(ca_file) if ca_file else None}}
    environment = {"POD_NAME": "edge-0", **({"SSL_CERT_FILE": str(bundle)} if bundle else {})}
    return ObserverProcess(
        program, folder, bootstrap=bootstrap, nodes=(), changes={"upstream": upstream}, environment=environment
    )


@contextlib.contextmanager
def opens(file: Path) -> Iterator[list[bytes]]:
    """An event of inotify(7) for each time that the file is opened, once this has ended."""
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    # The system reports what happens twice in a row once.
    assert libc.inotify_add_watch(watch, str(file).encode(), IN_OPEN | IN_CLOSE) > 0
    opened: list[bytes] = []
    yield opened
    with contextlib.suppress(BlockingIOError):
        while event := os.read(watch, EVENT_BYTES):
            if struct.unpack_from("i", event, 4)[0] & IN_OPEN:
                opened.append(event)
    os.close(watch)


def is_served(running: ObserverProcess) -> bool:
    port = int(running.settings["listener"]["bootstrap_port"])
    with (
        contextlib.suppress(ConnectionError),
        socket.create_connection(("127.0.0.1", port), timeout=60) as client,
    ):
        client.sendall(list_groups(7))
        return client.recv(len(ANSWER)) == ANSWER
    return False


def test_the_bundle_is_trusted_where_settings_name_no_authority(
    program: Path, tmp_path: Path, files: ListenerCertificates
) -> None:
    trusted, other = files.trusted(), tmp_path / "other.crt"
    other.write_text(Authority("other").certificate)
    cases = {(None, trusted): True, (None, other): False, (None, None): False, (other, trusted): False}
    with broker(files) as bootstrap:
        for (ca_file, bundle), served in cases.items():
            with observer(program, tmp_path, bootstrap, ca_file, bundle) as running:
                assert is_served(running) is served


@pytest.mark.parametrize("damaged", ["", "-----BEGIN CERTIFICATE-----\nMIIB", NO_CERTIFICATE, None])
def test_the_last_good_authorities_stay_while_their_file_cannot_be_used(
    program: Path, tmp_path: Path, files: ListenerCertificates, damaged: str | None
) -> None:
    ca_file = files.trusted()
    with broker(files) as bootstrap, observer(program, tmp_path, bootstrap, ca_file) as running:
        assert is_served(running)
        if damaged is None:
            ca_file.unlink()
        else:
            ca_file.write_text(damaged)
        time.sleep(READ_EVERY_S)

        assert [is_served(running) for _ in range(3)] == [True] * 3
        assert running.log().count(REFUSED) == 1
        replacing = Authority("another one")
        files.renew(replacing)
        files.trusted(replacing)
        eventually(lambda: is_served(running))


def test_a_certificate_that_cannot_be_parsed_costs_itself_alone_and_is_counted_in_the_log(
    program: Path, tmp_path: Path, files: ListenerCertificates
) -> None:
    ca_file = files.trusted()
    ca_file.write_text(f"{NO_CERTIFICATE}{files.authority.certificate}{NO_CERTIFICATE}")
    with broker(files) as bootstrap, observer(program, tmp_path, bootstrap, ca_file) as running:
        assert [is_served(running) for _ in range(3)] == [True] * 3
        lines = [line for line in running.log().splitlines() if LEFT_OUT in line]
        assert len(lines) == 1
        assert '"count":2' in lines[0].replace(" ", "")


def test_a_file_is_read_once_a_second_however_many_connections_come(
    program: Path, tmp_path: Path, files: ListenerCertificates
) -> None:
    ca_file = files.trusted()
    with broker(files) as bootstrap, observer(program, tmp_path, bootstrap, ca_file) as running:
        with opens(ca_file) as opened:
            began = time.monotonic()
            served = [is_served(running) for _ in range(10)]
            elapsed_s = time.monotonic() - began

        assert served == [True] * 10
        assert 1 <= len(opened) <= elapsed_s / READ_EVERY_S + 1
