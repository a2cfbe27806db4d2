"""How many threads relay connections, and the series of a window, which all of them share."""

from __future__ import annotations

import json
import socket
import struct
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.events_server import EventsServer
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker
PARTITIONS = 100


def produced() -> bytes:
    """A record for each partition of a topic, which waits for no answer (Produce 7)."""
    batch = struct.pack(">iBihiqqqhii", 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 1) + b"\x0c\0\0\0\1\0\0"
    records = struct.pack(">qi", 0, len(batch)) + batch
    partitions = b"".join(struct.pack(">ii", number, len(records)) + records for number in range(PARTITIONS))
    topic = struct.pack(">ih", 1, 6) + b"orders" + struct.pack(">i", PARTITIONS) + partitions
    request = struct.pack(">hhihhhi", 0, 7, 1, -1, -1, 0, 1_000) + topic
    return struct.pack(">i", len(request)) + request


def test_one_connection_may_have_all_series_of_the_process(program: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("token")
    with AnsweringBroker() as broker, EventsServer() as events:
        collector = {"url": events.url, "replicas": 1, "ca_file": None, "token_file": str(token)}
        changes = {"collector": collector, "window_ms": 10_000}
        observer = ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(), changes=changes)
        observer.set("limits", {**observer.settings["limits"], "max_series": PARTITIONS})
        with observer, socket.create_connection(("127.0.0.1", port_of(observer)), timeout=60) as client:
            client.sendall(produced() + list_groups(2))
            assert client.recv(9) == b"\0\0\0\5\0\0\0\2\7"

    rows = [row for row in events.rows if row.get("kind") == "partition"]
    assert sorted(row["partition"] for row in rows) == list(range(PARTITIONS))


@pytest.mark.parametrize(("arguments", "mode", "threads"), [((), "sidecar", 1), (("--threads", "3"), "gateway", 3)])
def test_a_sidecar_has_one_thread_and_others_as_many_as_are_given(
    program: Path, tmp_path: Path, arguments: tuple[str, ...], mode: str, threads: int
) -> None:
    changes = {"mode": mode, "reported_by": {"sidecar": "pod"}.get(mode, mode)}
    observer = ObserverProcess(program, tmp_path, bootstrap="127.0.0.1:9", nodes=(), changes=changes)
    with observer.with_arguments(*arguments):
        started = eventually(lambda: [line for line in observer.log().splitlines() if '"Started"' in line])
    assert json.loads(started[0])["threads"] == threads


def port_of(observer: ObserverProcess) -> int:
    """The port that clients begin with."""
    return int(observer.settings["listener"]["bootstrap_port"])
