"""Operator and librdkafka trust the system's CA certificates and the bundle's, or those alone that a resource names."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.e2e.certificates import Authority
from kwitness.operator.adapters.trusted_authorities import trusting
from kwitness.runtime.kafka_client import connection_settings

NAMES = ("system", "bundle", "named", "unknown")


@pytest.fixture
def authorities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Authority]:
    """One in the system's folder, one in the bundle, one that a resource names, and one that is nowhere."""
    found = {name: Authority(name) for name in NAMES}
    (tmp_path / "certs").mkdir()
    (tmp_path / "certs" / "system.pem").write_text(found["system"].certificate)
    subprocess.run(["openssl", "rehash", str(tmp_path / "certs")], check=True)
    for name in ("bundle", "named"):
        (tmp_path / f"{name}.crt").write_text(found[name].certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "bundle.crt"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "certs"))
    return found


class Server:
    """Speaks TLS, and notes whether a client went on after it had seen the certificate."""

    def __init__(self, authority: Authority, folder: Path) -> None:
        issued = authority.issue("localhost", ["localhost"])
        (folder / "server.pem").write_text(issued.certificate + issued.key)
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(folder / "server.pem")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.noted = threading.Event()
        self.is_trusted = False
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        plain, _ = self._listener.accept()
        try:
            with self._context.wrap_socket(plain, server_side=True):
                self.is_trusted = True
        except OSError:
            pass
        self.noted.set()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def server(authorities: Mapping[str, Authority], tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    started = Server(authorities[request.param], tmp_path)
    yield started
    started.close()


def shown(server: Server) -> bool:
    assert server.noted.wait(30)
    return server.is_trusted


TRUSTED = [
    ("system", False, True),
    ("bundle", False, True),
    ("named", False, False),
    ("unknown", False, False),
    ("system", True, False),
    ("bundle", True, False),
    ("named", True, True),
]


@pytest.mark.parametrize(("server", "is_named", "trusted"), TRUSTED, indirect=["server"])
def test_the_operator_trusts(server: Server, tmp_path: Path, *, is_named: bool, trusted: bool) -> None:
    context = trusting((tmp_path / "named.crt").read_text() if is_named else None)

    with socket.create_connection(("127.0.0.1", server.port)) as plain:
        try:
            context.wrap_socket(plain, server_hostname="localhost").close()
        except ssl.SSLError:
            plain.close()

    assert shown(server) is trusted


@pytest.mark.parametrize(("server", "is_named", "trusted"), TRUSTED, indirect=["server"])
def test_collectors_and_hosts_trust_brokers(server: Server, tmp_path: Path, *, is_named: bool, trusted: bool) -> None:
    connection = KafkaConnection(
        bootstrap_servers=(f"localhost:{server.port}",),
        tls=True,
        ca_file=str(tmp_path / "named.crt") if is_named else None,
    )

    client = AdminClient({**connection_settings(connection), "broker.address.family": "v4"})
    client.poll(0)

    assert shown(server) is trusted
