"""Records produced and consumed by librdkafka."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import ClusterMetadata

from tests.eventually import deliver, eventually

RECORDS = 500


def leaders(metadata: ClusterMetadata, topic: str) -> set[tuple[int, str]]:
    """Each partition with the node id of its leader, as rows spell it."""
    return {(number, f"{partition.leader}") for number, partition in metadata.topics[topic].partitions.items()}


def brokers_of_partitions(rows: Iterable[dict[str, Any]]) -> set[tuple[int, str]]:
    """Each partition with the node id in its rows. Commits are left out: a group's offsets go to its coordinator."""
    return {(row["partition"], row["broker_id"]) for row in rows if row["api"] in {"Produce", "Fetch"}}


def produce_by_librdkafka(bootstrap: str, topic: str, **configuration: Any) -> None:
    """`RECORDS` records, all acknowledged."""
    producer = Producer({"bootstrap.servers": bootstrap, "client.id": "demo-rdkafka", **configuration})
    for number in range(RECORDS):
        producer.produce(topic, key=f"{number}", value=f"value {number}")
        producer.poll(0)
    deliver(producer)


def consume_by_librdkafka(bootstrap: str, topic: str, count: int, **more: Any) -> list[str]:
    """The values of so many records, from the beginning, by a group of its own."""
    configuration = {"bootstrap.servers": bootstrap, "group.id": f"{topic}-rdkafka", "auto.offset.reset": "earliest"}
    consumer = Consumer(configuration | more)
    consumer.subscribe([topic])
    values: list[str] = []

    def look() -> int:
        if (message := consumer.poll(1.0)) is not None and message.error() is None:
            values.append((message.value() or b"").decode())
        return len(values)

    try:
        eventually(look, lambda seen: seen >= count, every=0)
    finally:
        consumer.close()
    return values
