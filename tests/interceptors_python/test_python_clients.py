"""kafka-python and aiokafka call interceptors as KIP-42 says; the broker is a real one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import aiokafka
import aiokafka.errors
import confluent_kafka
import kafka
import pytest
from kafka.errors import KafkaError as KafkaPythonError

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness_interceptors import Header, ProducerInterceptor, ProducerRecord, TopicPartition, wrap

from .confluent_samples import Appending, Consumed, Raising, Told
from tests.eventually import eventually

pytestmark = pytest.mark.broker


class WithHeader(ProducerInterceptor):
    """Adds a header."""

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        return record._replace(headers=(*record.headers, Header("trace", b"1")))


def kafka_python_producer(kafka_broker: LocalBroker, *interceptors: object, **more: Any) -> Any:
    return wrap(kafka.KafkaProducer)(
        bootstrap_servers=kafka_broker.bootstrap, interceptor_classes=list(interceptors), **more
    )


def kafka_python_consumer(kafka_broker: LocalBroker, topic: str, *interceptors: object, **more: Any) -> Any:
    consumer = wrap(kafka.KafkaConsumer)(
        bootstrap_servers=kafka_broker.bootstrap,
        group_id=topic,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        consumer_timeout_ms=20_000,
        **{"interceptor.classes": list(interceptors)},
        **more,
    )
    consumer.assign([kafka.TopicPartition(topic, 0)])
    return consumer


def beginning(topic: str) -> dict[Any, Any]:
    return {kafka.TopicPartition(topic, 0): kafka.OffsetAndMetadata(0, "", -1)}


def polled(consumer: Any, count: int) -> list[Any]:
    found: list[Any] = []
    while len(found) < count:
        batches = consumer.poll(timeout_ms=20_000)
        assert batches, f"{len(found)} of {count} records came"
        found.extend(record for batch in batches.values() for record in batch)
    return found


def test_kafka_python_sends_what_the_chain_returns_and_tells_it_before_the_application(
    kafka: LocalBroker, real_topic: str
) -> None:
    log: list[object] = []
    told = Appending("a", log)
    with closing(
        kafka_python_producer(kafka, told, Raising(), WithHeader(), value_serializer=lambda value: value.upper())
    ) as producer:
        future = producer.send(real_topic, b"v", key=b"k", partition=0)
        future.add_callback(lambda metadata: log.append(("application", metadata.offset)))
        future.get(30)
        producer.flush(30)
    with closing(kafka_python_consumer(kafka, real_topic)) as consumer:
        (record,) = polled(consumer, 1)

    assert (record.value, record.headers) == (b"VA", [("trace", b"1")])
    assert log == [("a", "on_send", b"v"), ("a", "on_acknowledgement", 0), ("application", 0), ("a", "close")]
    ((metadata, exception),) = told.acknowledged
    assert exception is None
    assert metadata[:3] == (real_topic, 0, 0)
    assert (metadata.serialized_key_size, metadata.serialized_value_size) == (1, 2)
    assert told.config["client.id"].startswith("kafka-python-producer-")
    assert told.config["bootstrap.servers"] == kafka.bootstrap


def test_a_record_that_kafka_python_refuses_is_told_and_the_error_is_raised(
    kafka: LocalBroker, real_topic: str
) -> None:
    told = Told()
    with closing(kafka_python_producer(kafka, told)) as producer, pytest.raises(TypeError) as raised:
        producer.send(real_topic, "no bytes")

    ((metadata, exception),) = told.acknowledged
    assert exception is raised.value
    assert (metadata.topic, metadata.partition) == (real_topic, -1)


@pytest.mark.parametrize("iterates", [False, True], ids=["poll", "iteration"])
def test_kafka_python_hands_on_what_the_chain_returns(kafka: LocalBroker, real_topic: str, *, iterates: bool) -> None:
    with closing(kafka_python_producer(kafka)) as producer:
        for number in range(6):
            producer.send(real_topic, b"v%d" % number, partition=0)
        producer.flush(30)
    told = Consumed(lambda records: [one._replace(value=one.value.upper()) for one in records if one.offset % 2 == 0])
    with closing(kafka_python_consumer(kafka, real_topic, told)) as consumer:
        records = [next(consumer) for _ in range(3)] if iterates else polled(consumer, 3)
        consumer.commit()

    assert [one.value for one in records] == [b"V0", b"V2", b"V4"]
    assert [one.offset for one in told.records][:5] == [0, 1, 2, 3, 4]
    (offsets,) = told.commits
    assert offsets[TopicPartition(real_topic, 0)].offset in {5, 6}
    assert told.closed == 1


@pytest.fixture
def taken_group(kafka: LocalBroker, real_topic: str) -> Iterator[str]:
    """A group with a member: nobody else may commit for it."""
    config = {"bootstrap.servers": kafka.bootstrap, "group.id": real_topic}
    with closing(confluent_kafka.Consumer(config)) as member:
        member.subscribe([real_topic])
        eventually(lambda: (member.poll(0.1), member.assignment()), lambda seen: seen[1])
        yield real_topic


def test_commits_of_kafka_python_that_fail_are_told_of_and_raised(kafka: LocalBroker, taken_group: str) -> None:
    told = Consumed()
    with closing(kafka_python_consumer(kafka, taken_group, told)) as consumer, pytest.raises(KafkaPythonError):
        consumer.commit(beginning(taken_group))

    assert (told.not_committed, told.commits) == ([TopicPartition(taken_group, 0)], [])


async def test_commits_of_aiokafka_that_fail_are_told_of_and_raised(kafka: LocalBroker, taken_group: str) -> None:
    told = Consumed()
    consumer = wrap(aiokafka.AIOKafkaConsumer)(
        bootstrap_servers=kafka.bootstrap,
        group_id=taken_group,
        enable_auto_commit=False,
        interceptor_classes=[told],
    )
    place = aiokafka.TopicPartition(taken_group, 0)
    consumer.assign([place])
    async with consumer:
        with pytest.raises(aiokafka.errors.KafkaError):
            await consumer.commit({place: 0})

    assert (told.not_committed, told.commits) == ([TopicPartition(taken_group, 0)], [])


async def test_aiokafka_sends_what_the_chain_returns_and_tells_it_before_the_application(
    kafka: LocalBroker, real_topic: str
) -> None:
    told = Appending("a")
    producer = wrap(aiokafka.AIOKafkaProducer)(
        bootstrap_servers=kafka.bootstrap, interceptor_classes=[told, Raising(), WithHeader()]
    )
    async with producer:
        metadata = await producer.send_and_wait(real_topic, b"v", key=b"k", partition=0)
        assert [one.offset for one, _ in told.acknowledged] == [metadata.offset]
        with pytest.raises(aiokafka.errors.MessageSizeTooLargeError):
            await producer.send(real_topic, b"x" * 2_000_000)
        batch = producer.create_batch()
        for _ in range(3):
            batch.append(key=None, value=b"batched", timestamp=None)
        await (await producer.send_batch(batch, real_topic, partition=0))
    consumer = wrap(aiokafka.AIOKafkaConsumer)(bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    consumer.assign([aiokafka.TopicPartition(real_topic, 0)])
    async with consumer:
        record = await consumer.getone()

    assert (record.value, record.headers) == (b"va", (("trace", b"1"),))
    first, refused, *batched = told.acknowledged
    assert (first[0].serialized_key_size, first[0].serialized_value_size) == (1, 2)
    assert refused[0].partition == -1
    assert isinstance(refused[1], aiokafka.errors.MessageSizeTooLargeError)
    assert [(one.offset, error) for one, error in batched] == [(1, None), (2, None), (3, None)]


async def test_aiokafka_hands_on_what_the_chain_returns_and_tells_of_commits(
    kafka: LocalBroker, real_topic: str
) -> None:
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        for number in range(4):
            await producer.send_and_wait(real_topic, b"v%d" % number, partition=0)
    told = Consumed(lambda records: [one._replace(value=one.value.upper()) for one in records if one.offset != 1])
    consumer = wrap(aiokafka.AIOKafkaConsumer)(
        bootstrap_servers=kafka.bootstrap,
        group_id=real_topic,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        interceptor_classes=[told],
    )
    consumer.assign([aiokafka.TopicPartition(real_topic, 0)])
    async with consumer:
        values = [(await consumer.getone()).value for _ in range(2)]
        batches = await consumer.getmany(timeout_ms=20_000)
        values += [record.value for batch in batches.values() for record in batch]
        await consumer.commit()

    assert values == [b"V0", b"V2", b"V3"]
    assert told.closed == 1
    assert told.commits[0][TopicPartition(real_topic, 0)].offset == 4
