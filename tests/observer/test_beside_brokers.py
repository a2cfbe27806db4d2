"""Observers in the place of brokers whose listeners are on loopback: clients keep their addresses."""

from __future__ import annotations

import contextlib
import itertools
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka.admin import AdminClient, ClusterMetadata

from kwitness.e2e.kafka.local_broker import Listener, LocalCluster

from tests.eventually import eventually
from tests.observer.events_server import EventsServer
from tests.observer.librdkafka import (
    RECORDS,
    brokers_of_partitions,
    consume_by_librdkafka,
    leaders,
    produce_by_librdkafka,
)
from tests.observer.listener_certificates import ListenerCertificates
from tests.observer.observer_process import ObserverProcess
from tests.observer.sign_in import SignIn
from tests.observer.stand import PARTITIONS, create_topic

pytestmark = pytest.mark.broker

HOSTS: Final = ("127.0.3.1", "127.0.3.2")
"""Where brokers say that they are, and observers are."""
SASL: Final = Listener.SASL_PLAINTEXT_PLAIN


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(2, clients_hosts=HOSTS, listeners=(SASL,)) as cluster:
        yield cluster


@contextlib.contextmanager
def observers(
    program: Path,
    folder: Path,
    ports: list[int],
    server: EventsServer,
    *,
    tls: dict[str, str | None] | None = None,
    nodes: Sequence[int] = (),
) -> Iterator[list[ObserverProcess]]:
    """One for each broker, at the host that it advertises and the port that it has on loopback.

    ``nodes`` are the brokers' node ids, as far as observers are told of them.
    """
    with contextlib.ExitStack() as running:
        found = []
        for host, port, node in itertools.zip_longest(HOSTS, ports, nodes):
            own = folder / host
            own.mkdir()
            token = own / "token"
            token.write_text("token")
            at: dict[str, Any] = {"name": "CLIENTS", "bind": host, "bootstrap_port": port, "advertised_host": host}
            behind = f"127.0.0.1:{port}"
            known = {} if node is None else {"nodes": {f"{node}": behind}}
            changes = {
                "mode": "broker",
                "reported_by": "pod",
                "upstream": {"bootstrap_servers": [behind], **known, "tls": None},
                "listener": {**at, "brokers": {}, "tls": tls},
                "collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)},
            }
            observer = ObserverProcess(program, own, bootstrap=behind, nodes=(), changes=changes)
            found.append(running.enter_context(observer))
        yield found


def metadata_with(topic: str, address: str, **settings: Any) -> ClusterMetadata:
    """Of all topics, once the broker there knows this one: it follows the controller a moment later."""
    admin = AdminClient({"bootstrap.servers": address, **settings})
    return eventually(lambda: admin.list_topics(timeout=30), lambda told: topic in told.topics)


def counted_once(server: EventsServer, topic: str, principal: str) -> None:
    for api in ("Produce", "Fetch"):
        eventually(lambda api=api: server.records(api, topic), RECORDS.__eq__)
    rows = [row for row in server.rows if row.get("topic") == topic]
    assert {row["principal"] for row in rows} == {principal}
    assert {row["observer_mode"] for row in rows} == {"broker"}
    assert {row["partition"] for row in rows if row["kind"] == "partition"} == set(range(PARTITIONS))
    assert not [row for row in server.rows if row.get("topic_id") and not row.get("topic")]


def test_clients_go_to_the_brokers_own_addresses_and_each_record_counts_once(
    cluster: LocalCluster, program: Path, tmp_path: Path
) -> None:
    ports = [broker.clients_port or 0 for broker in cluster.brokers]
    addresses = [f"{host}:{port}" for host, port in zip(HOSTS, ports, strict=True)]
    nodes = [broker.node_id for broker in cluster.brokers]
    with EventsServer() as server, observers(program, tmp_path, ports, server, nodes=nodes) as both:
        create_topic(cluster.bootstrap, "plain")
        # Each observer hears the topic's name once, whichever broker later clients ask.
        for address in addresses:
            metadata = metadata_with("plain", address)
            assert {f"{one.host}:{one.port}" for one in metadata.brokers.values()} == set(addresses)
        produce_by_librdkafka(addresses[0], "plain")
        assert len(consume_by_librdkafka(addresses[0], "plain", RECORDS)) == RECORDS
        ask_from("127.0.5.1", HOSTS[1], ports[1])

        counted_once(server, "plain", "User:ANONYMOUS")
        parts = [row for row in server.rows if row.get("kind") == "partition" and row.get("topic") == "plain"]
        assert brokers_of_partitions(parts) == leaders(metadata, "plain")
        of_clients = [row for row in server.rows if row.get("client_address")]
        assert {row["broker_id"] for row in of_clients} == {f"{node}" for node in nodes}

        def opened() -> list[dict[str, Any]]:
            return [row for row in server.rows if row.get("kind") == "opened"]

        eventually(lambda: {row["client_address"] for row in opened()}, lambda known: "127.0.5.1" in known)
        assert {row["security_protocol"] for row in opened()} == {"PLAINTEXT"}
        assert all(one.metrics()['kwitness_observer_connections_closed_total{end="error"}'] == 0 for one in both)


def test_tls_ends_at_the_observer_with_the_brokers_certificate_and_sasl_at_the_broker(
    cluster: LocalCluster, program: Path, tmp_path: Path
) -> None:
    ports = [int(broker.bootstrap_of(SASL).rpartition(":")[2]) for broker in cluster.brokers]
    bootstrap = f"{HOSTS[0]}:{ports[0]}"
    certificates = ListenerCertificates(tmp_path / "volume", hosts=HOSTS)
    way = SignIn("alice", "alice-secret", "PLAIN", certificates.trusted()).librdkafka()
    with EventsServer() as server, observers(program, tmp_path, ports, server, tls=certificates.settings()):
        create_topic(cluster.bootstrap, "tls")
        for host, port in zip(HOSTS, ports, strict=True):
            metadata_with("tls", f"{host}:{port}", **way)
        produce_by_librdkafka(bootstrap, "tls", **way)
        assert len(consume_by_librdkafka(bootstrap, "tls", RECORDS, **way)) == RECORDS

        counted_once(server, "tls", "User:alice")
        assert not [row for row in server.rows if "broker_id" in row], "nobody knows which brokers these are"
        opened = {row["security_protocol"] for row in server.rows if row.get("kind") == "opened"}
        # A connection that its client ends before it authenticates is one of TLS.
        assert {"SASL_SSL"} <= opened <= {"SASL_SSL", "SSL"}


def ask_from(source: str, host: str, port: int) -> None:
    """ListGroups by a client with this address."""
    request = bytes([0, 16, 0, 0, 0, 0, 0, 1, 0, 1, ord("t")])
    with socket.create_connection((host, port), 30, (source, 0)) as client:
        client.sendall(len(request).to_bytes(4, "big") + request)
        assert client.recv(1)
