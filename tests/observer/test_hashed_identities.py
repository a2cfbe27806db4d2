"""Searches rows, heartbeats, metrics and logs of an observer for values that it hashes."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.contracts.identity_hashing import identity_hash

from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker
from tests.observer.events_server import EventsServer
from tests.observer.observer_process import ObserverProcess

KEY = "kept in the Secret of this test alone"
ADDRESS = "127.0.0.77"
HEARTBEAT, LIST_GROUPS = 12, 16


@pytest.fixture
def server() -> Iterator[EventsServer]:
    with EventsServer() as server:
        server.wants_connections = True
        yield server


@pytest.fixture
def observer(program: Path, server: EventsServer, tmp_path: Path) -> Iterator[ObserverProcess]:
    (tmp_path / "token").write_text("token")
    hashed = ["client_id", "client_address", "group_id", "group_member_id"]
    with (
        AnsweringBroker() as broker,
        ObserverProcess(
            program,
            tmp_path,
            bootstrap=broker.bootstrap,
            nodes=(),
            changes={
                "report": {
                    "connections": True,
                    "traffic": True,
                    "latency": True,
                    "requests": {"apis": ["Metadata"], "events_per_second": 100},
                },
                "identity": {"drop": ["principal"], "hash": hashed, "key_file": str(tmp_path / "key")},
                "collector": {
                    "url": server.url,
                    "replicas": 1,
                    "ca_file": None,
                    "token_file": str(tmp_path / "token"),
                },
            },
        ) as process,
    ):
        yield process


def request(client: socket.socket, key: int, client_id: str, body: bytes) -> None:
    """Send a request of version 0, and wait for its answer."""
    content = struct.pack(">hhi", key, 0, 1) + text(client_id) + body
    client.sendall(struct.pack(">i", len(content)) + content)
    assert client.recv(100)


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def converse(observer: ObserverProcess, name: str) -> None:
    """A connection that says who it is, and ends with what no client sends, which is logged."""
    with observer.connect(ADDRESS) as client:
        request(client, LIST_GROUPS, f"{name}-client", b"")
        request(
            client, HEARTBEAT, f"{name}-client", text(f"{name}-group") + struct.pack(">i", 7) + text(f"{name}-member")
        )
        client.sendall(b"\x7f\xff\xff\xff nothing of Kafka's")


def sinks(observer: ObserverProcess, server: EventsServer) -> bytes:
    """Everything that left the process."""
    return b"\0".join([*server.bodies, observer.metrics_page().encode(), observer.log().encode()])


def test_what_is_hashed_is_found_nowhere_but_as_the_hash_that_the_collector_has(
    observer: ObserverProcess, server: EventsServer, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    eventually(lambda: server.heads and not server.heads[-1].state.lacks_identity_key)

    converse(observer, "canary")
    eventually(lambda: [row for row in server.rows if row.get("kind") == "closed"])
    eventually(lambda: "passed on unread" in observer.log())

    found = sinks(observer, server)
    assert b"canary" not in found
    assert ADDRESS.encode() not in found
    assert KEY.encode() not in found
    rows = [row for row in server.rows if row.get("kind") == "closed"]
    expected = {
        "client_id": identity_hash(KEY.encode(), "client_id", "canary-client"),
        "client_address": identity_hash(KEY.encode(), "client_address", ADDRESS),
        "group_id": identity_hash(KEY.encode(), "group_id", "canary-group"),
        "group_member_id": identity_hash(KEY.encode(), "group_member_id", "canary-member"),
    }
    assert {name: rows[-1].get(name) for name in expected} == expected
    assert expected["client_address"] in observer.log()
    lists = [head.open_connections.connections for head in server.heads if head.open_connections]
    assert all(connection.client_address == expected["client_address"] for listed in lists for connection in listed)


def test_without_a_key_what_is_to_be_hashed_is_dropped_and_heartbeats_say_so(
    observer: ObserverProcess, server: EventsServer
) -> None:
    converse(observer, "canary")
    eventually(lambda: [row for row in server.rows if row.get("kind") == "closed"])

    found = sinks(observer, server)
    assert b"canary" not in found
    assert ADDRESS.encode() not in found
    assert b"hash-" not in found
    assert server.heads[-1].state.lacks_identity_key
    assert "What is to be hashed is dropped" in observer.log()
