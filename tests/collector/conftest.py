"""Starts collectors, alone and as two replicas, which end after the test; gives the run's broker their topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import TOPICS, CollectorProcess
from tests.collector.replica_pair import port_pair

Start = Callable[..., CollectorProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a collector; the arguments are those of `CollectorProcess`."""
    processes: list[CollectorProcess] = []

    def begin(**arguments: Any) -> CollectorProcess:
        folder = tmp_path / f"replica-{arguments.get('ordinal', 0)}"
        process = CollectorProcess(folder, **arguments)
        processes.append(process)
        return process.start()

    yield begin
    for process in processes:
        if process.process is not None:
            process.kill()


@pytest.fixture
def pair(start: Start) -> list[CollectorProcess]:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    return [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]


@pytest.fixture(scope="session")
def broker(kafka: LocalBroker) -> LocalBroker:
    """The run's broker, with the topics of these tests."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    topics = [NewTopic(name, 3 if name == TOPICS["telemetry"] else 1, 1) for name in TOPICS.values()]
    for future in admin.create_topics(topics).values():
        future.result()
    return kafka


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """One collector without Kafka for a whole file, where tests do not look at what others left."""
    process = CollectorProcess(tmp_path_factory.mktemp("shared")).start()
    yield process
    process.kill()
