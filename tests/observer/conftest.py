"""Fixtures of the tests with real clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.observer.client_programs import NEWEST
from tests.observer.dialled_ports import ports_of_peers
from tests.observer.kafka_messages import KafkaMessages
from tests.observer.observer_process import built_observer
from tests.observer.stand import Stand
from tests.repeated import repeated


@pytest.fixture
def dialled() -> Iterator[set[int]]:
    """The ports that this process was connected to, looked at all the time."""
    seen: set[int] = set()
    with repeated(lambda: seen.update(ports_of_peers()), 0.005):
        yield seen


@pytest.fixture(scope="session")
def program() -> Path:
    """The observer, built."""
    return built_observer()


@pytest.fixture(scope="session")
def stand(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """Two brokers of the newest version behind an observer with a tap on both sides, for the whole run."""
    with Stand(program, tmp_path_factory.mktemp("stand"), version=NEWEST, size=2) as stand:
        yield stand


@pytest.fixture(scope="session")
def messages() -> Iterator[KafkaMessages]:
    """Kafka's own reading of responses."""
    with KafkaMessages() as messages:
        yield messages
