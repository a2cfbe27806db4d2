"""A million client instances whose telemetry an observer answers: what each takes of memory, and how fast they are told.

Each asks for its subscriptions once, without an id, by raw requests over a few connections: `make bench-observer`.
"""

from __future__ import annotations

import argparse
import os
import socket
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Self

from observer.relays import ObserverProcess, cargo_binary

from kwitness.bench.bars import at_most
from kwitness.bench.paired_measurement import GENERATOR_CORE, resident_mb
from kwitness.bench.results import write_results

from tests.observer.events_server import EventsServer

CONNECTIONS = 16
AT_ONCE = 50
"""Requests of a connection before it reads the answers; a client sends one at a time."""
BUDGET = 256
"""Bytes of an instance that is idle."""
GET_TELEMETRY_SUBSCRIPTIONS, API_VERSIONS = 71, 18
INSTANCES = "kwitness_observer_telemetry_instances"


def frame(body: bytes) -> bytes:
    """With its length before it."""
    return struct.pack(">i", len(body)) + body


ASKS_VERSIONS = frame(struct.pack(">hhih", API_VERSIONS, 0, 1, -1))
OFFERS = frame(struct.pack(">ihi", 1, 0, 1) + struct.pack(">hhh", API_VERSIONS, 0, 0))
ASKS = frame(struct.pack(">hhih", GET_TELEMETRY_SUBSCRIPTIONS, 0, 2, 5) + b"bench" + b"\0" + bytes(16) + b"\0")


class Offering:
    """A broker that offers nothing but versions; use as a context manager."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer:
            while received(peer, 1):
                peer.sendall(OFFERS)


def received(peer: socket.socket, count: int) -> int:
    """Read so many frames; how many came before the end."""
    for number in range(count):
        head = peer.recv(4, socket.MSG_WAITALL)
        if len(head) < 4:  # noqa: PLR2004 - its length
            return number
        peer.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL)
    return count


def ask(address: str, instances: int) -> None:
    """As many new instances as are wanted ask for their subscriptions."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.sendall(ASKS_VERSIONS)
        received(peer, 1)
        for begin in range(0, instances, AT_ONCE):
            count = min(AT_ONCE, instances - begin)
            peer.sendall(ASKS * count)
            if received(peer, count) < count:
                raise RuntimeError("the observer closed a connection")


def cpu_seconds(process: int) -> float:
    """Of its threads together."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(instances: int) -> dict[str, float]:
    """Memory before and after, and processor time."""
    with tempfile.TemporaryDirectory() as name, Offering() as broker, EventsServer() as server:
        folder = Path(name)
        (folder / "token").write_text("token")
        changes: dict[str, Any] = {
            "telemetry": {"max_instances": instances, "max_push_bytes": 1 << 20},
            "collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(folder / "token")},
        }
        program = cargo_binary("kwitness-observer") / "kwitness-observer"
        with ObserverProcess(program, folder, bootstrap=broker.address, nodes=(1,), changes=changes) as observer:
            ask(observer.bootstrap, 1_000)
            time.sleep(2)
            before, busy = resident_mb(observer.pid), cpu_seconds(observer.pid)
            for _ in range(CONNECTIONS):
                ask(observer.bootstrap, (instances - 1_000) // CONNECTIONS)
            busy = cpu_seconds(observer.pid) - busy
            remembered = observer.metrics()[INSTANCES]
            after = resident_mb(observer.pid)
    return {
        "instances": remembered,
        "before_mb": before,
        "after_mb": after,
        "bytes_each": (after - before) * 1e6 / (remembered - 1_000),
        "answers_per_cpu_second": (remembered - 1_000) / busy,
    }


def section(found: dict[str, float]) -> str:
    """The page's section."""
    each = found["bytes_each"]
    return "\n".join(
        [
            "## Observer: a million client instances whose telemetry it answers",
            "",
            "Raw requests for subscriptions, each by an instance that has no id yet; the window's rows are in the memory, too.",
            "",
            "| | |",
            "| --- | --- |",
            f"| client instances | {found['instances']:,.0f} |",
            f"| MB before and after | {found['before_mb']:.1f} and {found['after_mb']:.1f} |",
            f"| bytes of each | {each:.0f} (≤ {BUDGET}: {at_most(BUDGET, BUDGET / 2).judged(each)}) |",
            f"| answers a CPU-second | {found['answers_per_cpu_second']:,.0f} |",
            "",
        ]
    )


def main() -> int:
    """Measure and write `observer_telemetry.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--instances", type=int, default=1_000_000)
    wanted = parser.parse_args()
    os.sched_setaffinity(0, {GENERATOR_CORE})
    found = measure(wanted.instances)
    write_results(wanted.results, "observer_telemetry", found, section(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
