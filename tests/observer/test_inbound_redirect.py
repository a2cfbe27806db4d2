"""Connections to a broker that rules redirect: its pod and its clients have networks of their own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.images.container_engine import install
from kwitness.sandbox.ports import free_port

from tests.eventually import eventually
from tests.observer.events_server import EventsServer
from tests.observer.librdkafka import RECORDS, consume_by_librdkafka, produce_by_librdkafka
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker

NEW_NETWORK: Final = 0x40000000
POD: Final = "10.77.0.1"
CLIENT: Final = "10.77.0.2"
POD_V6: Final = "fd77::1"
CLIENT_V6: Final = "fd77::2"
LOOPS: Final = 'kwitness_observer_connections_closed_total{end="loop"}'


class Network:
    """A network namespace; what is started while it is entered is in it, and so are sockets of this thread."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        if self._libc.unshare(NEW_NETWORK) != 0:
            os.close(before)
            pytest.skip(f"no network namespace can be had: {os.strerror(ctypes.get_errno())}")
        self.file = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        self._enter(before)
        os.close(before)

    def _enter(self, file: int) -> None:
        assert self._libc.setns(file, NEW_NETWORK) == 0

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        self._enter(self.file)
        try:
            yield
        finally:
            self._enter(before)
            os.close(before)

    def ip(self, *arguments: str) -> None:
        with self.entered():
            subprocess.run(["ip", *arguments], check=True)

    def close(self) -> None:
        os.close(self.file)


@pytest.fixture(scope="module")
def networks() -> Iterator[tuple[Network, Network]]:
    """The pod's and the client's, with a link between them."""
    if os.geteuid() != 0:
        pytest.skip("a network namespace takes root")
    if shutil.which("nft") is None:
        install("nftables", "rules are tried as they are in a pod", print)
    pod, client = Network(), Network()
    other = f"/proc/{os.getpid()}/fd/{client.file}"
    pod.ip("link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", other)
    for network, addresses in ((pod, (f"{POD}/24", f"{POD_V6}/64")), (client, (f"{CLIENT}/24", f"{CLIENT_V6}/64"))):
        for address in addresses:
            # An IPv6 address can be used at once where nobody else is asked for it.
            network.ip("address", "add", address, "dev", "eth0", *(["nodad"] if ":" in address else []))
        for link in ("lo", "eth0"):
            network.ip("link", "set", link, "up")
    yield pod, client
    pod.close()
    client.close()


@pytest.fixture(scope="module")
def port(networks: tuple[Network, Network]) -> Iterator[int]:
    """Of a broker's listener for clients, which has every address of the pod and tells clients one of them."""
    with networks[0].entered():
        inner, clients, controllers = free_port(), free_port(), free_port()
        overrides = {
            "listeners": f"PLAINTEXT://127.0.0.1:{inner},CLIENTS://:{clients},CONTROLLER://127.0.0.1:{controllers}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{inner},CLIENTS://{POD}:{clients}",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,CLIENTS:PLAINTEXT",
            "controller.quorum.voters": f"1@127.0.0.1:{controllers}",
            "num.partitions": "3",
        }
        with LocalBroker(overrides=overrides):
            yield clients


@pytest.fixture(scope="module")
def server(networks: tuple[Network, Network]) -> Iterator[EventsServer]:
    with networks[0].entered(), EventsServer() as server:
        yield server


@pytest.fixture(scope="module")
def observer(
    networks: tuple[Network, Network],
    port: int,
    server: EventsServer,
    program: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ObserverProcess]:
    """One in the pod, and the rules beside it."""
    folder = tmp_path_factory.mktemp("inbound")
    (folder / "token").write_text("token")
    said = folder / "redirection"
    with networks[0].entered(), contextlib.ExitStack() as running:
        at = {"name": "CLIENTS", "bind": "::", "bootstrap_port": free_port(), "advertised_host": "0.0.0.0"}
        changes: dict[str, Any] = {
            "mode": "broker",
            "reported_by": "pod",
            "listener": {**at, "brokers": {}, "redirected": [port]},
            "collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(folder / "token")},
        }
        observer = ObserverProcess(program, folder, bootstrap=f"127.0.0.1:{port}", nodes=(), changes=changes)
        running.enter_context(observer.with_arguments("--redirection", str(said)))
        # As the container has it: root with this capability alone.
        alone = ["setpriv", "--bounding-set", "-all,+net_admin", "--inh-caps", "-all"]
        redirect = ["redirect", "--settings", str(observer.file), "--redirection", str(said)]
        subprocess.run([*alone, program, *redirect], check=True)
        assert said.read_text() == "in place"
        yield observer


def test_a_client_elsewhere_is_seen_and_the_listener_stays_where_it_is(
    networks: tuple[Network, Network], port: int, observer: ObserverProcess, server: EventsServer
) -> None:
    with networks[1].entered():
        produce_by_librdkafka(f"{POD}:{port}", "redirected")
        values = consume_by_librdkafka(f"{POD}:{port}", "redirected", RECORDS)

    assert len(values) == RECORDS
    eventually(lambda: server.records("Produce", "redirected"), RECORDS.__eq__)
    eventually(lambda: server.records("Fetch", "redirected"), RECORDS.__eq__)
    assert opened_by(server) == {CLIENT}
    assert {row["observer_mode"] for row in server.rows if row.get("topic")} == {"broker"}
    assert server.heads[-1].state.not_intercepted is None


def test_what_is_opened_within_the_pod_reaches_the_broker_by_itself(
    networks: tuple[Network, Network], port: int, observer: ObserverProcess, server: EventsServer
) -> None:
    pod, client = networks
    for host in ("127.0.0.1", POD, "::1", POD_V6):
        ask(pod, host, port)
    # It comes last and is reported: so would those before it be.
    ask(client, POD_V6, port)

    eventually(lambda: opened_by(server), lambda known: CLIENT_V6 in known)
    assert opened_by(server) <= {CLIENT, CLIENT_V6}


def test_a_connection_to_the_observer_itself_is_closed(
    networks: tuple[Network, Network], observer: ObserverProcess
) -> None:
    pod, client = networks
    own = observer.settings["listener"]["bootstrap_port"]
    for count, host in enumerate((POD, POD_V6), 1):
        with (
            client.entered(),
            socket.create_connection((host, own), timeout=30) as connection,
            contextlib.suppress(ConnectionError),
        ):
            assert connection.recv(1) == b""

        with pod.entered():
            eventually(lambda: observer.metrics()[LOOPS], float(count).__eq__)


def opened_by(server: EventsServer) -> set[str]:
    """Addresses of clients whose connections were reported."""
    return {row["client_address"] for row in server.rows if row.get("kind") == "opened"}


def ask(network: Network, host: str, port: int) -> None:
    """ListGroups by a client there."""
    request = bytes([0, 16, 0, 0, 0, 0, 0, 1, 0, 1, ord("t")])
    with network.entered(), socket.create_connection((host, port), timeout=30) as client:
        client.sendall(len(request).to_bytes(4, "big") + request)
        assert client.recv(1)
