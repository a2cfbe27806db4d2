"""Whatever the collector does, requests to the broker are served as if there were none.

The broker has one request handler thread, and the plugin would wait ten minutes for an answer: if a push waited for
the collector, for room in the queue or for the thread that sends, every other request would wait with it.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.recording_collector import Behaviour, RecordingCollector
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.subscription import subscribe

from tests.eventually import deliver
from tests.soak import alone

pytestmark = pytest.mark.broker
TEN_MINUTES = "600000"
_SLOWEST_S = 20
"""Of one record: some milliseconds as a rule, seconds on a busy machine whose broker has just begun."""
BEHAVIOURS = ("missing", "unreachable", "silent", "slow", "broken")


class BadCollector:
    """A port that behaves badly in one of the ways of `BEHAVIOURS`; a change breaks off what hangs."""

    def __init__(self) -> None:
        self.port = free_port()
        self.attempts = 0
        self._open: list[socket.socket] = []
        self._listening: socket.socket | None = None

    def become(self, behaviour: str) -> None:
        """Behave from now on like this."""
        self.end()
        if behaviour == "missing":
            return
        # A backlog of none that is used up: who connects now waits for an answer to its first packet.
        self._listening = socket.create_server(
            ("127.0.0.1", self.port), backlog=0 if behaviour == "unreachable" else 50
        )
        if behaviour == "unreachable":
            for _ in range(2):
                filler = socket.socket()
                filler.setblocking(False)
                filler.connect_ex(("127.0.0.1", self.port))
                self._open.append(filler)
        else:
            threading.Thread(target=self._serve, args=(self._listening, behaviour), daemon=True).start()

    def _serve(self, listening: socket.socket, behaviour: str) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                self.attempts += 1
                self._open.append(connection)
                threading.Thread(target=self._answer, args=(connection, behaviour), daemon=True).start()

    def _answer(self, connection: socket.socket, behaviour: str) -> None:
        with contextlib.suppress(OSError):
            connection.recv(1)
            if behaviour == "slow":
                for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b" " * 1000:
                    connection.sendall(bytes([byte]))
                    time.sleep(0.2)
            elif behaviour == "broken":
                connection.sendall(b"\x00\xff not HTTP \r\n\r\n")
                connection.close()

    def end(self) -> None:
        """Close the port and all connections."""
        if self._listening is not None:
            # Closing alone would leave a thread in accept, and with it the port.
            with contextlib.suppress(OSError):
                self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
            self._listening = None
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._open.clear()


@pytest.fixture(scope="module", params=[pytest.param("3.9.2", marks=(pytest.mark.soak, alone)), "4.3.1"])
def setting(request, plugin_broker) -> Iterator[tuple[LocalBroker, BadCollector]]:
    bad = BadCollector()
    overrides = {
        "num.io.threads": "1",
        "kwitness.collector.url": f"http://127.0.0.1:{bad.port}",
        "kwitness.collector.connect.timeout.ms": TEN_MINUTES,
        "kwitness.collector.read.timeout.ms": TEN_MINUTES,
        "kwitness.batch.linger.ms": "0",
        "kwitness.queue.max.pushes": "3",
    }
    with plugin_broker(None, request.param, overrides=overrides) as broker:
        subscribe(broker.bootstrap, "kwitness.test", interval_ms=100)
        yield broker, bad
    bad.end()


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_records_are_acknowledged_while_clients_push(setting, librdkafka_producer, behaviour):
    broker, bad = setting
    bad.become(behaviour)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "enable.metrics.push": False, "acks": "all"})
    slowest = 0.0
    with librdkafka_producer(broker.bootstrap, "first"), librdkafka_producer(broker.bootstrap, "second"):
        end = time.monotonic() + 4
        while time.monotonic() < end:
            began = time.monotonic()
            producer.produce("demo", b"x")
            deliver(producer)
            slowest = max(slowest, time.monotonic() - began)
    # A handler thread that waited for the collector would wait for the ten minutes of its time-outs.
    assert slowest < _SLOWEST_S
    assert bad.attempts or behaviour in {"missing", "unreachable"}
    bad.end()
    good = RecordingCollector(port=bad.port)
    good.behaviour = Behaviour(headers={"Connection": "close"})
    with good:
        ledger = good.wait_for(
            lambda: next((beat["ledger"] for beat in good.heartbeats()), None), what="the plugin's counts"
        )
    # The clients did push, more than there was room for, and what gave way was counted.
    assert ledger["dropped"]["queue_full"] > 0
    assert ledger["accepted"] == ledger["delivered"] + ledger["queued"] + sum(ledger["dropped"].values())
