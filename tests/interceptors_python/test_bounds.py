"""What interceptors keep in an application's process is bounded, and does not get in its way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kwitness_interceptors import ProducerInterceptor, ProducerRecord
from kwitness_interceptors.chain import ProducerChain
from kwitness_interceptors.containment import FAILURES
from kwitness_interceptors.made_chains import producer_chain
from kwitness_interceptors.measures.client_counts import ClientCounts, now_ms
from kwitness_interceptors.measures.sketch import Sketch
from kwitness_interceptors.profile import PRODUCER
from kwitness_interceptors.reporting.process import Client, Process
from kwitness_interceptors.reporting.queue import INTERCEPTIONS, SEALS, TOTALS, Queue

from .confluent_samples import Told
from .interceptor_events_server import InterceptorEventsServer
from tests.eventually import eventually
from tests.vectors import vectors

LEAST = vectors("interceptor_settings", "valid")[1]["settings"]
BOUND = 65_536


class Own(ProducerInterceptor):
    """A class of a profile."""


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Process]]:
    """Make a process with these settings in the pod shop/orders-1."""
    made: list[Process] = []
    monkeypatch.setenv("KWITNESS_POD_NAMESPACE", "shop")
    monkeypatch.setenv("KWITNESS_POD_NAME", "orders-1")
    collector = {"url": "http://127.0.0.1:1", "replicas": 1, "ca_file": None, "token_file": str(tmp_path / "token")}

    def make(**changes: object) -> Process:
        file = tmp_path / "interceptors.json"
        file.write_text(json.dumps(LEAST | {"suspend": False, "collector": collector} | changes))
        monkeypatch.setenv("KWITNESS_INTERCEPTORS", str(file))
        made.append(Process())
        return made[-1]

    yield make
    for one in made:
        one._end()


def counts() -> ClientCounts:
    return ClientCounts(1, PRODUCER, "shop", None, window_ms=1_000, most_topics=2, most_partitions=2)


def test_a_queue_that_nobody_empties_stays_within_its_bound_with_its_seals() -> None:
    queue = Queue()
    for number in range(500):
        queue.push(INTERCEPTIONS, "", {"text": "x" * 1_000}, BOUND)
        queue.push(TOTALS, "", {"text": "x" * 1_000}, BOUND)
        queue.push(SEALS, "", {"first_seq": number, "last_seq": number, "text": "x" * 1_000}, BOUND)

    assert BOUND // 2_000 < len(queue) <= 2 * BOUND // 1_000
    assert queue.ledger.accepted == 1_000
    assert queue.ledger.dropped == {"queue_full": 1_000 - queue.rows}


def test_windows_that_nobody_takes_out_are_few_and_lose_nothing() -> None:
    own = counts()
    for number in range(1_000):
        with own.lock:
            own.topic("orders", number * 1_000).sent += 1
    own.closed = True

    windows = own.finished(1_000_000, {})

    assert 1 < len(windows) < 100
    assert sum(one.topics["orders"].sent for one in windows) == 1_000


def test_a_handler_of_a_signal_may_count_while_its_thread_counts() -> None:
    own = counts()

    with own.lock:
        assert own.lock.acquire(blocking=False)
        own.lock.release()


def test_what_nobody_would_be_told_of_is_not_counted(
    process: Callable[..., Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert process().client(PRODUCER, {}).counts is not None
    assert process(collector=None).client(PRODUCER, {}).counts is None
    monkeypatch.delenv("KWITNESS_POD_NAME")
    assert process().client(PRODUCER, {}).counts is None


def test_a_closed_client_makes_room_for_another_one_also_where_classes_of_ones_own_are_all(
    process: Callable[..., Process],
) -> None:
    own = process(
        interceptors=[{"name": "own", "type": "Custom", "class_name": f"{__name__}:Own"}],
        limits={"clients": 1},
    )
    client = own.client(PRODUCER, {})
    chain = ProducerChain(client.interceptors)
    client.begin(chain)
    assert own.client(PRODUCER, {}).counts is None

    chain.close()

    eventually(lambda: own.client(PRODUCER, {}).counts)


def test_the_open_window_of_a_closed_client_seals_nothing_of_what_others_count_in_it(
    process: Callable[..., Process], tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("secret-token")
    with InterceptorEventsServer() as server:
        collector = {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)}
        audit = {"name": "audit", "type": "Audit"}
        own = process(interceptors=[audit], window_ms=3_600_000, collector=collector)
        clients = [own.client(PRODUCER, {}) for _ in range(2)]
        chains = [ProducerChain(client.interceptors) for client in clients]
        for client, chain in zip(clients, chains, strict=True):
            client.begin(chain)
            chain.settled("orders", 0, 7, 1, 1, 0.0, None)
        counted_ms = now_ms()

        chains[1].close()

        # Its rows, their seal, and then that both are settled.
        eventually(lambda: any(head.state.ledger.delivered > 1 and not head.rows for head in list(server.heads)))
    assert len(server.topics()) == 1
    assert all((head.state.sealed_until_ms or 0) <= counted_ms for head in server.heads)


def test_sums_are_what_a_row_can_hold() -> None:
    sketch = Sketch()
    for _ in range(10_000):
        sketch.add(1_800_000_000_000_000)

    assert sketch.bounded_sum == 2**62


def test_interceptors_are_called_also_where_reports_cannot_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    before = FAILURES.counts().get(("kwitness_interceptors", "report"), 0)
    monkeypatch.setattr(Client, "begin", refuse)
    told = Told()

    chain = producer_chain([told], {"client.id": "shop"})

    assert chain is not None
    chain.on_send(ProducerRecord("orders", "v"))
    assert [one.value for one in told.sent] == ["v"]
    assert FAILURES.counts()["kwitness_interceptors", "report"] == before + 1
