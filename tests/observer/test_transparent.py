"""Connections that rules redirect: in a network of its own, with a real broker and clients that know of nothing."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.images.container_engine import install
from kwitness.sandbox.ports import free_port

from tests.collector.collector_process import SIDECAR, SIDECAR_SOURCE, TOPICS, CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker
from tests.observer.client_programs import LIBRDKAFKA, NEWEST, Client, counts, kafka_clients
from tests.observer.dialled_ports import port_of
from tests.observer.events_server import EventsServer
from tests.observer.librdkafka import RECORDS, consume_by_librdkafka, produce_by_librdkafka
from tests.observer.observer_process import ObserverProcess
from tests.observer.stand import create_topic
from tests.observer.tap import Tap

pytestmark = pytest.mark.broker

USER: Final = 61532
"""The observer's; whoever has another one is redirected."""
NEW_NETWORK: Final = 0x40000000
SPOKEN_FIRST: Final = b"220 here I am\r\n"


@pytest.fixture(scope="module")
def network() -> Iterator[None]:
    """A network namespace for this thread and the processes that it starts."""
    if os.geteuid() != 0:
        pytest.skip("a network namespace takes root")
    if shutil.which("nft") is None:
        install("nftables", "rules are tried as they are in a pod", print)
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    if libc.unshare(NEW_NETWORK) != 0:
        pytest.skip(f"no network namespace can be had: {os.strerror(ctypes.get_errno())}")
    try:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        yield
    finally:
        assert libc.setns(before, NEW_NETWORK) == 0
        os.close(before)


@pytest.fixture(scope="module")
def broker(network: None) -> Iterator[LocalBroker]:
    with LocalBroker(listeners=[Listener.SSL], overrides={"num.partitions": "3"}) as broker:
        yield broker


@pytest.fixture(scope="module")
def server(network: None) -> Iterator[EventsServer]:
    with EventsServer() as server:
        yield server


@pytest.fixture(scope="module")
def other_port(network: None) -> int:
    """A port that is redirected, too, and has no broker."""
    return free_port()


@contextlib.contextmanager
def redirecting(
    program: Path, broker: LocalBroker | AnsweringBroker, ports: Iterable[int], token: str, url: str, **further: Any
) -> Iterator[ObserverProcess]:
    """An observer with a user id of its own, and the rules beside it in place of those that were there.

    ``token`` and ``url`` are for the collector; ``further`` are members of its settings, and its ``environment``.
    """
    # Others cannot enter pytest's own folders.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "token").write_text(token)
        shutil.copy(program, folder / "kwitness-observer")
        environment = further.pop("environment", None)
        changes = {
            "mode": "sidecar",
            "reported_by": "pod",
            "collector": {"url": url, "replicas": 1, "ca_file": None, "token_file": str(folder / "token")},
            **further,
        }
        observer = ObserverProcess(
            folder / "kwitness-observer",
            folder,
            bootstrap=broker.bootstrap,
            nodes=(),
            changes=changes,
            user=USER,
            environment=environment,
        )
        observer.set("listener", {**observer.settings["listener"], "redirected": sorted(ports)})
        said = folder / "redirection"
        with observer.with_arguments("--redirection", str(said)):
            # As the container has it: root with this capability alone.
            alone = ["setpriv", "--bounding-set", "-all,+net_admin", "--inh-caps", "-all"]
            redirect = ["redirect", "--settings", observer.file, "--user", str(USER), "--redirection", said]
            subprocess.run([*alone, folder / "kwitness-observer", *redirect], check=True)
            assert said.read_text() == "in place"
            yield observer


@pytest.fixture(scope="module")
def observer(broker: LocalBroker, server: EventsServer, other_port: int, program: Path) -> Iterator[ObserverProcess]:
    """One that reports what it sees, for most of the tests."""
    ports = [port_of(broker.bootstrap), port_of(broker.bootstrap_of(Listener.SSL)), other_port]
    with redirecting(program, broker, ports, "token", server.url) as observer:
        yield observer


@contextlib.contextmanager
def serving(host: str, port: int, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """A server in a thread."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    connection.settimeout(30)
                    with connection:
                        serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def echo(connection: socket.socket) -> None:
    connection.sendall(SPOKEN_FIRST)
    while chunk := connection.recv(65_536):
        connection.sendall(chunk)


def test_a_client_that_knows_of_no_observer_is_seen(
    broker: LocalBroker, observer: ObserverProcess, server: EventsServer
) -> None:
    produce_by_librdkafka(broker.bootstrap, "redirected", **{"compression.type": "zstd"})
    values = consume_by_librdkafka(broker.bootstrap, "redirected", RECORDS)

    assert sorted(values) == sorted(f"value {number}" for number in range(RECORDS))
    eventually(lambda: server.records("Produce", "redirected"), RECORDS.__eq__)
    eventually(lambda: server.records("Fetch", "redirected"), RECORDS.__eq__)
    opened = [row for row in server.rows if row.get("kind") == "opened"]
    assert {row["client_address"] for row in opened} == {"10.1.2.3"}
    assert {row["client_software_name"] for row in opened} == {"confluent-kafka-python"}
    assert not [sample for sample in observer.metrics() if sample.startswith("kwitness_observer_unserved")]
    assert server.heads[-1].state.not_intercepted is None


def test_a_client_by_ipv6_is_seen_and_reaches_whom_it_meant(
    broker: LocalBroker, observer: ObserverProcess, server: EventsServer, other_port: int
) -> None:
    with Tap({("::1", other_port): ("127.0.0.1", port_of(broker.bootstrap))}) as meant:
        produce_by_librdkafka(f"[::1]:{other_port}", "by-ipv6")

    assert meant.recordings, "its first connection"
    eventually(lambda: server.records("Produce", "by-ipv6"), RECORDS.__eq__)


def test_bytes_pass_as_they_are_and_the_other_side_may_speak_first(observer: ObserverProcess, other_port: int) -> None:
    sent = os.urandom(1_000_000)
    for host in ("127.0.0.1", "::1"):
        with (
            serving(host, other_port, echo),
            socket.create_connection((host, other_port), timeout=30) as client,
            client.makefile("rb") as stream,
        ):
            greeting = stream.read(len(SPOKEN_FIRST))
            threading.Thread(target=client.sendall, args=(sent,)).start()
            came = stream.read(len(sent))

            assert (greeting, came == sent) == (SPOKEN_FIRST, True)


def test_a_connection_that_nobody_takes_does_not_come_about(observer: ObserverProcess, other_port: int) -> None:
    def ask() -> bytes:
        with socket.create_connection(("127.0.0.1", other_port), timeout=30) as client:
            client.sendall(b"anybody?")
            return client.recv(1)

    with pytest.raises(ConnectionError):
        ask()


def test_tls_passes_unread_and_is_counted(broker: LocalBroker, observer: ObserverProcess) -> None:
    assert broker.certificates is not None
    security = {"security.protocol": "SSL", "ssl.ca.location": str(broker.certificates.ca_file)}
    produce_by_librdkafka(broker.bootstrap_of(Listener.SSL), "encrypted", **security)

    # What passes is relayed first, and counted then.
    eventually(lambda: observer.metrics().get('kwitness_observer_opaque_total{reason="tls"}', 0.0), bool)


def test_a_connection_to_the_observer_itself_is_closed(observer: ObserverProcess) -> None:
    port = observer.settings["listener"]["bootstrap_port"]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client, contextlib.suppress(ConnectionError):
        assert client.recv(1) == b""

    eventually(lambda: observer.metrics()['kwitness_observer_connections_closed_total{end="loop"}'], (1.0).__eq__)


# Rules of this observer and of the next are in place of those before, so these two come last.
@pytest.mark.slow
def test_a_connection_ends_though_its_server_stays_after_the_client_has_ended(network: None, program: Path) -> None:
    port, seen = free_port(), threading.Event()

    def stay(connection: socket.socket) -> None:
        while connection.recv(65_536):
            pass
        seen.wait()

    with (
        AnsweringBroker() as broker,
        serving("127.0.0.1", port, stay),
        redirecting(program, broker, [port], "token", "http://127.0.0.1:1"),
        socket.create_connection(("127.0.0.1", port), timeout=90) as client,
    ):
        client.sendall(SPOKEN_FIRST)
        client.shutdown(socket.SHUT_WR)
        try:
            assert client.recv(1) == b""
        finally:
            seen.set()


@pytest.fixture
def collector(broker: LocalBroker, tmp_path: Path) -> Iterator[CollectorProcess]:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    for future in admin.create_topics([NewTopic(name, 1, 1) for name in TOPICS.values()]).values():
        future.result()
    process = CollectorProcess(tmp_path, bootstrap=broker.bootstrap)
    process.subscribe([{"id": "all", "metrics": ["org.apache.kafka."], "interval_ms": 1_000, "match": {}}])
    yield process.start()
    process.kill()


def test_an_observer_answers_the_telemetry_of_clients_that_know_of_none(
    broker: LocalBroker, collector: CollectorProcess, program: Path
) -> None:
    namespace, _, pod = SIDECAR_SOURCE.partition("/")
    create_topic(broker.bootstrap, "orders")

    def found(client: Client) -> list[dict[str, Any]]:
        items = collector.get("/v1/clients").body["items"]
        return [one for one in items if one.get("client_id") == client.name and one.get("last_push_ms")]

    with redirecting(
        program,
        broker,
        [port_of(broker.bootstrap)],
        SIDECAR,
        f"http://127.0.0.1:{collector.port}",
        cluster_id=CLUSTER,
        namespace=namespace,
        workload={"kind": "Deployment", "name": "app"},
        telemetry={"max_instances": 100, "max_push_bytes": 1_048_576},
        environment={"POD_NAME": pod, "POD_NAMESPACE": namespace, "POD_IP": "10.1.2.3"},
    ) as observer:
        eventually(lambda: "New subscriptions" in observer.log())
        for client in (kafka_clients(NEWEST), LIBRDKAFKA):
            process = client.start(broker.bootstrap, "orders", 0, ["none:all"])
            try:
                # A producer and a consumer, each an instance of its own.
                pushing = eventually(lambda client=client: found(client), lambda those: len(those) >= 2)
                counts(process)
            finally:
                process.kill()

            for one in pushing:
                assert (one["k8s_namespace"], one["k8s_pod"], one["client_address"]) == (namespace, pod, "10.1.2.3")
                assert (one["client_software_name"], one["client_software_version"]) in client.software
                assert one["metrics"]
        assert observer.metrics()['kwitness_observer_telemetry_requests_total{api="PushTelemetry",error="NONE"}'] >= 4
