"""A leader moves from one broker to the other while clients run: they follow by way of the observer only."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

import pytest
from kafka import KafkaAdminClient, TopicPartition

from tests.eventually import eventually
from tests.observer import kafka_tools
from tests.observer.client_programs import CLIENTS_OF_JAVA, LIBRDKAFKA, Client, counts
from tests.observer.conversations import FETCH, PRODUCE, SHARE_FETCH
from tests.observer.kafka_messages import KafkaMessages
from tests.observer.stand import Stand
from tests.soak import SOAKS

pytestmark = [pytest.mark.broker, pytest.mark.soak]

_, JAVA_3_9, _, JAVA_4_3 = CLIENTS_OF_JAVA
WAYS: Final = ("transactions", "plain") if SOAKS else ("transactions",)
PRODUCERS: Final = {
    replace(client, name=f"{client.name}-{way}"): f"{client.name}-moved" if way == "transactions" else None
    for client in (JAVA_3_9, JAVA_4_3, LIBRDKAFKA)
    for way in WAYS
}
"""Clients that produce and consume, by their transactional ids."""
SHARED: Final = f"{LIBRDKAFKA.name}-transactions"
"""What further consumers read, and a share group."""
MOVES: Final = (2, 1, 2)
NOT_LEADER: Final = "6"


@pytest.fixture
def admin(stand: Stand) -> Iterator[KafkaAdminClient]:
    """Goes to the brokers directly, at addresses that clients are not told."""
    admin = KafkaAdminClient(bootstrap_servers=stand.cluster.bootstrap)
    yield admin
    admin.close()


def create(admin: KafkaAdminClient, topics: list[str]) -> None:
    """Let the first broker lead them."""
    places: dict[str, object] = {"num_partitions": -1, "replication_factor": -1, "assignments": {0: [1, 2]}}
    admin.create_topics(dict.fromkeys(topics, places))


def move(admin: KafkaAdminClient, topics: list[str], to: int) -> None:
    """Let this broker lead them."""

    def said(field: str) -> list[object]:
        return [topic["partitions"][0][field] for topic in admin.describe_topics(topics)]

    replicas = [to, 3 - to]
    admin.alter_partition_reassignments({TopicPartition(topic, 0): replicas for topic in topics})
    eventually(lambda: said("replica_nodes"), lambda now: all(list(one) == replicas for one in now), every=0.05)
    admin.elect_leaders(0, {topic: [0] for topic in topics})
    eventually(lambda: said("leader_id"), lambda now: set(now) == {to}, every=0.05)


def records(stand: Stand, api: str, topic: str) -> int:
    """As the observer reports them."""
    return sum(row["records"] for row in stand.rows(kind="partition", api=api, topic=topic))


def test_clients_follow_a_leader_that_moves_and_none_dials_a_broker(
    stand: Stand, admin: KafkaAdminClient, messages: KafkaMessages
) -> None:
    topics = [client.name for client in PRODUCERS]
    places = [(api, topic) for api in ("Produce", "Fetch") for topic in topics]

    def now() -> Counter[tuple[str, str]]:
        return Counter({place: records(stand, *place) for place in places})

    def all_go_on() -> None:
        before = now()
        eventually(lambda: set(places) - set(now() - before), lambda stopped: not stopped)

    create(admin, topics)
    with ExitStack() as running:
        clients = {client.name: start(client, stand) for client in PRODUCERS}
        for one in clients.values():
            running.callback(one.kill)
        consumer = running.enter_context(kafka_tools.verifiable_consumer(stand.bootstrap, SHARED))
        share_consumer = running.enter_context(kafka_tools.share_consumer(stand.bootstrap, SHARED))
        all_go_on()
        for broker in MOVES:
            move(admin, topics, broker)
            all_go_on()
        said = {name: counts(client) for name, client in clients.items()}
        eventually(consumer.consumed, said[SHARED].acknowledged.__le__)
        eventually(share_consumer.consumed, said[SHARED].acknowledged.__le__)
        consumer.stop()
        share_consumer.stop()

    compared = stand.compared(messages.read)
    assert compared.addresses == stand.addresses
    assert compared.real_addresses == stand.real_addresses
    assert {PRODUCE, FETCH} <= set(compared.emptied)
    assert SHARE_FETCH in compared.same
    assert {name: one.consumed for name, one in said.items()} == {name: one.acknowledged for name, one in said.items()}
    wanted = {name: one.acknowledged for name, one in said.items()}
    eventually(lambda: {name: records(stand, "Produce", name) for name in topics}, wanted.__eq__)
    assert set(topics) <= {row.get("topic") for row in stand.rows(kind="partition") if NOT_LEADER in row["errors"]}


def start(client: Client, stand: Stand) -> subprocess.Popen[str]:
    """Let it produce, and consume that, until it is told to end."""
    return client.start(stand.bootstrap, client.name, 0, ["lz4:all"], PRODUCERS[client])
