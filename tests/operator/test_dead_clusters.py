"""Kafka clusters that never answer hold up no other and nobody who pauses; what outlived its time writes nothing."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.operator.adapters import kafka_admin
from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.model.cluster_description import WantedTopic
from kwitness.operator.model.errors import OvertakenError, TransientError

from tests.eventually import eventually_beside
from tests.operator.surroundings import (
    apply,
    broker_configs,
    cluster,
    ready,
    subscription,
    until_configs,
    until_reason,
)

pytestmark = pytest.mark.broker
PAUSE = "kwitness.dev/pause"
DEAD = 4


@pytest.fixture
def silent() -> Iterator[list[str]]:
    """Addresses, all of loopback, at which connections are taken and nothing is ever said."""
    with socket.create_server(("0.0.0.0", 0), backlog=1024) as server:
        port = server.getsockname()[1]
        yield [f"127.0.7.{host}:{port}" for host in range(1, 33)]


def test_a_good_cluster_is_ready_and_can_be_paused_beside_four_that_never_answer(
    api, namespace, clean_broker, silent, start_operator
):
    names = [f"dead-{number}" for number in range(DEAD)]
    apply(api, *(cluster(name, namespace, *silent) for name in names))
    start_operator()
    # Until the operator has gone to all of them.
    time.sleep(3)
    began = time.monotonic()
    apply(api, cluster("good", namespace, clean_broker.bootstrap), subscription("basic", namespace, cluster="good"))
    until_reason(api, "kfc", "good", namespace, "Connected")
    connected = time.monotonic() - began
    until_reason(api, "kcms", "basic", namespace, "Applied")
    before = until_configs(clean_broker, lambda found: len(found) == 1)

    began = time.monotonic()
    for name in ("good", *names):
        api.objects.annotate("kfc", name, namespace, {PAUSE: "true"})
    for name in ("good", *names):
        until_reason(api, "kfc", name, namespace, "Paused")
    paused = time.monotonic() - began
    apply(api, subscription("basic", namespace, cluster="good", interval="7s"))
    until_reason(api, "kcms", "basic", namespace, "Paused")
    assert broker_configs(clean_broker) == before
    api.objects.annotate("kfc", "good", namespace, {PAUSE: None})
    until_configs(clean_broker, lambda found: [one["interval.ms"] for one in found.values()] == ["7000"])
    assert [ready(api, "kfc", name, namespace)["reason"] for name in names] == ["Paused"] * DEAD
    assert (connected < 10, paused < 10) == (True, True), (connected, paused)


@pytest.fixture
def connection(broker) -> KafkaConnection:
    return KafkaConnection(bootstrap_servers=(broker.bootstrap,), client_id="kwitness-operator-test")


class Gate:
    """Keeps calls from their next step until a test opens it."""

    def __init__(self) -> None:
        self.reached, self.open, self.passed = threading.Event(), threading.Event(), threading.Event()

    def stop_before(self, step: Any) -> Any:
        def stopped(*arguments: Any) -> Any:
            self.reached.set()
            self.open.wait(60)
            try:
                return step(*arguments)
            finally:
                self.passed.set()

        return stopped


async def test_a_call_that_outlived_its_deadline_writes_nothing(clean_broker, connection, monkeypatch):
    gate = Gate()
    monkeypatch.setattr(kafka_admin, "_CALL_SECONDS", 3.0)
    monkeypatch.setattr(kafka_admin, "_alter", gate.stop_before(kafka_admin._alter))
    with pytest.raises(TransientError, match="did not answer"):
        await KafkaAdmin().alter(connection, {"late": {"metrics": "x."}})
    assert gate.reached.is_set()
    gate.open.set()
    assert await asyncio.to_thread(gate.passed.wait, 60)
    # What comes after it is written before anything late could be.
    await KafkaAdmin().alter(connection, {"later": {"metrics": "y."}})
    await eventually_beside(lambda: broker_configs(clean_broker), lambda found: "later" in found)
    assert list(broker_configs(clean_broker)) == ["later"]


async def test_what_no_longer_holds_is_not_written_though_it_was_decided(clean_broker, connection):
    admin = KafkaAdmin()
    with pytest.raises(OvertakenError):
        await admin.alter(connection, {"overtaken": {"metrics": "x."}}, holds=lambda: False)
    with pytest.raises(OvertakenError):
        await admin.create_topics(connection, (WantedTopic("overtaken", 1, 1),), holds=lambda: False)
    assert broker_configs(clean_broker) == {}
    assert "overtaken" not in (await admin.observe(connection, ("overtaken",))).topics
