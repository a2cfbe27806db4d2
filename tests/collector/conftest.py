"""A factory of collector processes, all ended after the test; the run's broker with their topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import TOPICS, CollectorProcess

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
