"""Stamp, Tracing and Checksum in kafka-python and aiokafka; the broker is a real one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import aiokafka
import confluent_kafka
import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from kafka import KafkaConsumer, KafkaProducer
from kafka import TopicPartition as KafkaTopicPartition

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness_interceptors import wrap
from kwitness_interceptors.adding.checksum import checksum

from .confluent_samples import read_all, topic_name
from .own_process import anomalies
from tests.eventually import deliver, eventually

pytestmark = pytest.mark.broker

ALL = (
    {"type": "Stamp", "stamps": [{"key": "stage", "from": "Value", "value": "test"}]},
    {"type": "Tracing"},
    {"type": "Checksum"},
)


def shout(value: str) -> bytes:
    return value.upper().encode()


def arrived(kafka_broker: LocalBroker, topic: str, count: int) -> list[tuple[Any, dict[str, bytes]]]:
    return [(one.value(), dict(one.headers() or ())) for one in read_all(kafka_broker.bootstrap, topic, count)]


def consumed_by_kafka_python(kafka_broker: LocalBroker, topic: str, **more: Any) -> None:
    consumer = wrap(KafkaConsumer)(
        bootstrap_servers=kafka_broker.bootstrap, auto_offset_reset="earliest", consumer_timeout_ms=20_000, **more
    )
    with closing(consumer):
        consumer.assign([KafkaTopicPartition(topic, 0)])
        for _ in range(3):
            next(consumer)


def with_wrong_one(kafka_broker: LocalBroker, topic: str) -> None:
    """Add a record whose checksum is another's."""
    with closing(confluent_kafka.Producer({"bootstrap.servers": kafka_broker.bootstrap})) as producer:
        producer.produce(topic, b"v", partition=0, headers={"kwitness.checksum": checksum(None, b"w")})
        deliver(producer)


def test_kafka_python_adds_headers_and_compares_checksums(
    kafka: LocalBroker, real_topic: str, profile: Callable[..., None]
) -> None:
    profile(*ALL)
    kind: Any = wrap(KafkaProducer)
    with closing(kind(bootstrap_servers=kafka.bootstrap, value_serializer=lambda one: one and shout(one))) as producer:
        own = [("own", b"1")]
        producer.send(real_topic, "v", key=b"k", partition=0, headers=own).get(30)
        producer.send(real_topic, None, key=b"k", partition=0).get(30)

    (value, headers), (tombstone, bare) = arrived(kafka, real_topic, 2)
    assert own == [("own", b"1")]
    assert (value, tombstone) == (b"V", None)
    assert set(headers) == {"own", "stage", "traceparent", "kwitness.checksum"}
    assert headers["kwitness.checksum"] == checksum(b"k", b"V")
    assert bare["kwitness.checksum"] == checksum(b"k", None)

    with_wrong_one(kafka, real_topic)
    assert anomalies() == {}
    consumed_by_kafka_python(kafka, real_topic)
    assert anomalies() == {"checksum_mismatch": 1}
    consumed_by_kafka_python(kafka, real_topic, value_deserializer=lambda one: one)
    assert anomalies() == {"checksum_mismatch": 1, "checksum_not_compared": 3}


async def test_aiokafka_adds_headers_and_compares_checksums(
    kafka: LocalBroker, real_topic: str, profile: Callable[..., None]
) -> None:
    profile(*ALL)
    own = [("own", b"1")]
    async with wrap(aiokafka.AIOKafkaProducer)(
        bootstrap_servers=kafka.bootstrap, value_serializer=lambda one: one and shout(one)
    ) as producer:
        await producer.send_and_wait(real_topic, "v", key=b"k", partition=0, headers=own)
        await producer.send_and_wait(real_topic, None, key=b"k", partition=0)
        batch = producer.create_batch()
        batch.append(key=None, value="of a batch", timestamp=None)
        await (await producer.send_batch(batch, real_topic, partition=1))

    found = dict(arrived(kafka, real_topic, 3))
    assert own == [("own", b"1")]
    assert set(found[b"V"]) == {"own", "stage", "traceparent", "kwitness.checksum"}
    assert found[b"V"]["kwitness.checksum"] == checksum(b"k", b"V")
    assert found[None]["kwitness.checksum"] == checksum(b"k", None)
    assert found[b"OF A BATCH"] == {}
    assert anomalies() == {"headers_left_out": 1}

    with_wrong_one(kafka, real_topic)
    consumer = wrap(aiokafka.AIOKafkaConsumer)(bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    consumer.assign([aiokafka.TopicPartition(real_topic, 0)])
    async with consumer:
        for _ in range(3):
            await consumer.getone()
    assert anomalies() == {"headers_left_out": 1, "checksum_mismatch": 1}


def test_a_record_that_kafka_python_refuses_with_them_goes_without(
    kafka: LocalBroker, real_topic: str, profile: Callable[..., None]
) -> None:
    profile({"type": "Stamp", "stamps": [{"key": "big", "from": "Value", "value": "x" * 900}]}, {"type": "Checksum"})
    kind: Any = wrap(KafkaProducer)
    with closing(kind(bootstrap_servers=kafka.bootstrap, max_request_size=2_000)) as producer:
        producer.send(real_topic, b"v" * 1_500, partition=0).get(30)

    assert arrived(kafka, real_topic, 1) == [(b"v" * 1_500, {})]
    assert anomalies() == {"headers_refused": 1}


async def test_a_record_that_aiokafka_refuses_with_them_goes_without(
    kafka: LocalBroker, real_topic: str, profile: Callable[..., None]
) -> None:
    profile({"type": "Stamp", "stamps": [{"key": "big", "from": "Value", "value": "x" * 900}]}, {"type": "Checksum"})
    async with wrap(aiokafka.AIOKafkaProducer)(bootstrap_servers=kafka.bootstrap, max_request_size=2_000) as producer:
        await producer.send_and_wait(real_topic, b"v" * 1_500, partition=0)

    assert arrived(kafka, real_topic, 1) == [(b"v" * 1_500, {})]
    assert anomalies() == {"headers_refused": 1}


def test_compaction_keeps_no_record_of_a_stamped_tombstone(kafka: LocalBroker, profile: Callable[..., None]) -> None:
    profile(*ALL)
    admin: Any = AdminClient({"bootstrap.servers": kafka.bootstrap})
    topic = topic_name()
    config = {
        "cleanup.policy": "compact",
        "segment.ms": "100",
        "min.cleanable.dirty.ratio": "0.01",
        "delete.retention.ms": "100",
        "max.compaction.lag.ms": "200",
    }
    admin.create_topics([NewTopic(topic, 1, 1, config=config)])[topic].result()
    try:
        with closing(wrap(confluent_kafka.Producer)({"bootstrap.servers": kafka.bootstrap})) as producer:

            def send(key: bytes, value: bytes | None) -> None:
                producer.produce(topic, value, key, partition=0)
                deliver(producer)

            send(b"gone", b"v")
            send(b"kept", b"v")
            send(b"gone", None)

            def keys() -> set[bytes]:
                # A segment is rolled by the record that comes after it.
                send(b"later", b"v")
                return left(kafka, topic)

            assert b"kept" in eventually(keys, lambda found: b"gone" not in found, still_s=90)
    finally:
        admin.delete_topics([topic])[topic].result()


def left(kafka_broker: LocalBroker, topic: str) -> set[bytes]:
    """Return the keys that a topic has."""
    config = {"bootstrap.servers": kafka_broker.bootstrap, "group.id": topic, "enable.partition.eof": True}
    with closing(confluent_kafka.Consumer(config)) as consumer:
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        found: set[bytes] = set()
        while True:
            message = consumer.poll(20)
            assert message is not None
            if message.error() is not None:
                return found
            found.add(message.key())
