"""Interceptors and clients of confluent-kafka for these tests; the broker is librdkafka's own mock cluster."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import confluent_kafka

from kwitness_interceptors import (
    ConsumerInterceptor,
    ConsumerRecord,
    OffsetAndMetadata,
    ProducerInterceptor,
    ProducerRecord,
    RecordMetadata,
    TopicPartition,
)

MOCK = {"bootstrap.servers": "mock.invalid:9092", "test.mock.num.brokers": 1, "log_level": 0}


class Told(ProducerInterceptor):
    """Keeps what it is told; writes it into `log`, which several may share."""

    def __init__(self, name: str = "told", log: list[object] | None = None) -> None:
        self.name = name
        self.log: list[object] = [] if log is None else log
        self.config: Mapping[str, Any] = {}
        self.sent: list[ProducerRecord] = []
        self.acknowledged: list[tuple[RecordMetadata, BaseException | None]] = []

    def configure(self, config: Mapping[str, Any]) -> None:
        self.config = config

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        self.sent.append(record)
        self.log.append((self.name, "on_send", record.value))
        return record

    def on_acknowledgement(self, metadata: RecordMetadata, exception: BaseException | None) -> None:
        self.acknowledged.append((metadata, exception))
        self.log.append((self.name, "on_acknowledgement", metadata.offset))

    def close(self) -> None:
        self.log.append((self.name, "close"))


class Appending(Told):
    """Adds its name to each value."""

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        super().on_send(record)
        return record._replace(value=record.value + self.name.encode())


class Raising(Told):
    """Raises in every hook but `configure`."""

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        raise RuntimeError("on_send")

    def on_acknowledgement(self, metadata: RecordMetadata, exception: BaseException | None) -> None:
        raise RuntimeError("on_acknowledgement")

    def close(self) -> None:
        raise RuntimeError("close")


class Consumed(ConsumerInterceptor):
    """Keeps what it is told, and hands on what `change` returns."""

    def __init__(self, change: Callable[[Sequence[ConsumerRecord]], Any] = lambda records: records) -> None:
        self.change = change
        self.records: list[ConsumerRecord] = []
        self.commits: list[Mapping[TopicPartition, OffsetAndMetadata]] = []
        self.not_committed: list[TopicPartition] = []
        self.closed = 0

    def on_consume(self, records: Sequence[ConsumerRecord]) -> Sequence[ConsumerRecord]:
        self.records.extend(records)
        changed: Sequence[ConsumerRecord] = self.change(records)
        return changed

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        self.commits.append(offsets)

    def kwitness_commit_failed(self, places: Sequence[TopicPartition], why: BaseException) -> None:
        self.not_committed.extend(places)

    def close(self) -> None:
        self.closed += 1


def topic_name() -> str:
    return f"orders-{uuid.uuid4().hex[:8]}"


def mock_bootstrap(producer: Any) -> str:
    """Return the address of the mock cluster that a producer brought with it."""
    (broker,) = producer.list_topics(timeout=10).brokers.values()
    return f"{broker.host}:{broker.port}"


def read_all(bootstrap: str, topic: str, count: int) -> list[Any]:
    """Read records with a consumer that has no interceptors."""
    config = {"bootstrap.servers": bootstrap, "group.id": uuid.uuid4().hex, "auto.offset.reset": "earliest"}
    with closing(confluent_kafka.Consumer(config)) as consumer:
        consumer.assign([confluent_kafka.TopicPartition(topic, number, 0) for number in range(4)])
        found: list[Any] = []
        while len(found) < count:
            batch = [one for one in consumer.consume(count, timeout=10) if one.error() is None]
            assert batch, f"{len(found)} of {count} records of {topic} could be read"
            found.extend(batch)
    return found
