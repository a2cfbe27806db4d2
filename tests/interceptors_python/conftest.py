"""Fixtures of the tests of interceptors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker

from .confluent_samples import topic_name


@pytest.fixture
def real_topic(kafka: LocalBroker) -> Iterator[str]:
    """A topic with two partitions on a real broker."""
    admin: Any = AdminClient({"bootstrap.servers": kafka.bootstrap})
    name = topic_name()
    admin.create_topics([NewTopic(name, 2, 1)])[name].result(30)
    yield name
    admin.delete_topics([name])[name].result(30)
