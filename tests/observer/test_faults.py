"""Brokers, collectors and observers fail under load: clients notice nothing of ours, and every row is accounted for."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kwitness.contracts.envelopes import EventsHead
from kwitness.e2e.certificates import Authority
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import deliver, eventually
from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.events_server import EventsServer
from tests.observer.faulty_collector import FAULTS, FaultyCollector
from tests.observer.listener_certificates import ListenerCertificates
from tests.observer.observer_process import ObserverProcess, built_observer
from tests.soak import seeds

pytestmark = [pytest.mark.broker, pytest.mark.soak, pytest.mark.timeout(3_600)]

NODE = 1
ASKED = 200


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalBroker]:
    with LocalBroker(overrides={"num.partitions": "1"}) as broker:
        yield broker


@pytest.fixture(scope="module")
def program() -> Path:
    return built_observer()


class Acknowledged(NamedTuple):
    """A record that the broker has: when it was given to the client, and when the client was told; ms since 1970."""

    produced_ms: float
    told_ms: float


class Load:
    """A producer that goes on producing; use as a context manager. What is not acknowledged in the end is an error."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.errors: list[object] = []
        self._topic = topic
        self._ends = threading.Event()
        settings = {"bootstrap.servers": bootstrap, "linger.ms": 0, "reconnect.backoff.max.ms": 200}
        self._producer = Producer({**settings, "message.timeout.ms": 120_000})
        self._thread = threading.Thread(target=self._produce)

    def _produce(self) -> None:
        while not self._ends.is_set():
            produced = time.time() * 1000

            def told(error: object, _: object, produced: float = produced) -> None:
                if error is not None:
                    self.errors.append(error)
                self.acknowledged.append(Acknowledged(produced, time.time() * 1000))

            self._producer.produce(self._topic, b"value", on_delivery=told)
            self._producer.poll(0.005)

    def goes_on(self) -> None:
        """Wait until more was acknowledged."""
        more = len(self.acknowledged) + 20
        eventually(lambda: len(self.acknowledged), more.__le__, every=0.05)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self.goes_on()
        except BaseException:
            # Otherwise pytest would wait for the thread in the end.
            self._ends.set()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.set()
        self._thread.join()
        deliver(self._producer)
        assert self.errors == []


def end_offset(broker: LocalBroker, topic: str) -> int:
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "offsets"})
    with contextlib.closing(consumer):
        return int(consumer.get_watermark_offsets(TopicPartition(topic, 0), 30)[1])


def closes(head: EventsHead) -> bool:
    ledger = head.state.ledger
    return ledger.accepted == ledger.delivered + ledger.queued + sum(ledger.dropped.values())


def reporting_to(server: EventsServer, folder: Path) -> dict[str, Any]:
    token = folder / "token"
    token.write_text("token")
    return {"collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)}}


def moment(seed: int) -> float:
    """Up to a second and a half, for something to happen at another point each time."""
    return random.Random(seed).uniform(0, 1.5)  # noqa: S311


def fail(broker: LocalBroker, seed: int) -> None:
    """Stop the broker for a moment, kill it, or restart it in good order."""
    match seed % 5:
        case 1:
            broker.kill()
            broker.start()
        case 3:
            broker.restart()
        case _:
            pid = broker.process.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            time.sleep(moment(seed))
            os.kill(pid, signal.SIGCONT)


def test_what_a_failing_broker_acknowledged_was_observed_and_no_client_has_an_error(
    broker: LocalBroker, program: Path, tmp_path: Path
) -> None:
    with EventsServer() as server:
        changes = reporting_to(server, tmp_path)
        with ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes=changes) as observer:
            with Load(observer.bootstrap, "failing") as load:
                for seed in seeds(50):
                    fail(broker, seed)
                    load.goes_on()
            metrics = observer.metrics()

    # An answer that was on its way when its connection was reset was observed, and its request was sent again.
    assert len(load.acknowledged) <= server.records("Produce", "failing") <= end_offset(broker, "failing")
    assert all(closes(head) for head in server.heads)
    last = server.heads[-1].state
    assert (last.ended, last.ledger.queued, last.ledger.dropped) == (True, 0, {})
    assert not [name for name in metrics if name.startswith("kwitness_observer_opaque_total")]


class Range(NamedTuple):
    """What a killed observer saw in it may not be delivered; milliseconds since 1970."""

    begins: int
    ends: int


def uncertain(heads: list[EventsHead]) -> list[Range]:
    """From what each killed observer had sealed by its last request until the next one began."""
    last = {head.epoch: head for head in heads}
    epochs = sorted(last)
    return [
        Range(last[epoch].state.sealed_until_ms or epoch, following)
        for epoch, following in pairwise(epochs)
        if not last[epoch].state.ended
    ]


def test_what_was_acknowledged_is_observed_or_in_a_bounded_range_when_the_observer_is_killed(
    broker: LocalBroker, program: Path, tmp_path: Path
) -> None:
    kills = seeds(100)
    with EventsServer() as server:
        changes = reporting_to(server, tmp_path)
        observed_by = ObserverProcess(program, tmp_path, bootstrap=broker.bootstrap, nodes=(NODE,), changes=changes)
        with observed_by as observer, Load(observer.bootstrap, "killed") as load:
            for seed in kills:
                heard = len(server.heads) + 1
                eventually(lambda: len(server.heads), heard.__le__, every=0.05)
                time.sleep(moment(seed))
                observer.kill()
                observer.start()
                load.goes_on()

    ranges = uncertain(server.heads)
    assert len(ranges) == len(kills)
    assert all(one.begins <= one.ends for one in ranges)
    assert all(one.ends <= following.begins for one, following in pairwise(ranges))
    may_be_missing = [
        one
        for one in load.acknowledged
        if any(span.begins <= one.told_ms and one.produced_ms <= span.ends for span in ranges)
    ]
    observed = server.records("Produce", "killed")
    assert len(load.acknowledged) - len(may_be_missing) <= observed <= end_offset(broker, "killed")
    assert len(may_be_missing) < len(load.acknowledged)
    assert all(closes(head) for head in server.heads)


class Answered(NamedTuple):
    """How many requests of a client were answered, and how many rows say so."""

    requests: int
    collector: FaultyCollector


def ask(observer: ObserverProcess, times: int) -> int:
    """Ask so often, one after the other; how often there was an answer."""
    host, port = observer.bootstrap.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client, client.makefile("rb") as answers:
        for number in range(times):
            client.sendall(list_groups(number))
            assert answers.read(9)[4:8] == number.to_bytes(4, "big")
    return times


def suffer(fault: str, program: Path, folder: Path) -> Answered:
    """Ask through an observer whose collector has a fault, and again when it has recovered."""
    folder.mkdir()
    with AnsweringBroker() as server, FaultyCollector(fault) as collector:
        changes = reporting_to(collector, folder)
        with ObserverProcess(program, folder, bootstrap=server.bootstrap, nodes=(), changes=changes) as observer:
            asked = ask(observer, ASKED)
            eventually(lambda: collector.requests)
            asked += ask(observer, ASKED)
            if fault != "it is a black hole":  # which holds what was counted up to then as well
                # The windows are over, and their rows wait or were taken.
                eventually(
                    lambda: observer.metrics()['kwitness_observer_events_total{outcome="accepted",reason=""}'] >= 2
                )
            collector.recover()
            eventually(lambda: collector.heads and collector.heads[-1].state.ledger.queued == 0)
            asked += ask(observer, ASKED)
        return Answered(asked, collector)


def test_clients_notice_nothing_of_what_is_wrong_with_a_collector_and_it_gets_everything_in_order(
    program: Path, tmp_path: Path
) -> None:
    names = list(FAULTS)
    chosen = seeds(10 * len(names))
    with ThreadPoolExecutor(len(names)) as pool:
        runs = {
            seed: pool.submit(suffer, names[seed % len(names)], program, tmp_path / f"observer-{seed}")
            for seed in chosen
        }
        for seed, run in runs.items():
            fault = names[seed % len(names)]
            asked, collector = run.result()

            rows = [row for row in collector.rows if row.get("kind") == "api" and row["api"] == "ListGroups"]
            assert sum(int(row["requests"]) for row in rows) == asked == 3 * ASKED, fault
            numbers = [row["event_seq"] for row in collector.rows]
            assert numbers == sorted(numbers), fault
            last = collector.heads[-1].state
            assert all(closes(head) for head in collector.heads), fault
            assert last.ledger.accepted == last.ledger.delivered == len(collector.rows), fault
            assert last.ended, fault


def test_a_collector_that_is_not_trusted_gets_nothing_until_the_file_of_authorities_has_its_own(
    program: Path, tmp_path: Path
) -> None:
    certificates = ListenerCertificates(tmp_path / "certificates")
    trusted = tmp_path / "ca.crt"
    trusted.write_text(Authority("another").certificate)
    with AnsweringBroker() as server, EventsServer((certificates.certificate, certificates.key)) as collector:
        changes = reporting_to(collector, tmp_path)
        changes["collector"]["ca_file"] = str(trusted)
        with ObserverProcess(program, tmp_path, bootstrap=server.bootstrap, nodes=(), changes=changes) as observer:
            asked = ask(observer, ASKED)
            eventually(lambda: "The collector takes nothing" in observer.log(), every=0.1)
            assert collector.heads == []
            trusted.write_text(certificates.authority.certificate)
            eventually(lambda: collector.heads and collector.heads[-1].state.ledger.delivered)
            asked += ask(observer, ASKED)

    rows = [row for row in collector.rows if row.get("kind") == "api"]
    assert sum(int(row["requests"]) for row in rows) == asked == 2 * ASKED
    assert collector.heads[-1].state.ended
