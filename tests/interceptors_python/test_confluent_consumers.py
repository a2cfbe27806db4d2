"""Consumers of confluent-kafka call interceptors as KIP-42 says; the broker is librdkafka's mock cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import confluent_kafka
import pytest

from kwitness_interceptors import ConsumerRecord, Header, wrap
from kwitness_interceptors.containment import FAILURES

from .confluent_samples import MOCK, Consumed, mock_bootstrap, topic_name
from tests.eventually import deliver, eventually

Consumer = wrap(confluent_kafka.Consumer)


@pytest.fixture(scope="module")
def producer() -> Iterator[Any]:
    producer = confluent_kafka.Producer(MOCK)
    yield producer
    deliver(producer)


@pytest.fixture
def topic(producer: Any) -> str:
    topic = topic_name()
    for number in range(3):
        producer.produce(topic, f"v{number}", key="k", partition=0, headers={"h": b"1"}, timestamp=1_000 + number)
    deliver(producer)
    return topic


def consumer_of(producer: Any, topic: str, *interceptors: object, kind: Any = Consumer, **config: object) -> Any:
    consumer = kind(
        {
            "bootstrap.servers": mock_bootstrap(producer),
            "group.id": topic,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "interceptor.classes": list(interceptors),
            **config,
        }
    )
    consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
    return consumer


def test_interceptors_are_shown_the_records_that_poll_and_consume_return(producer: Any, topic: str) -> None:
    told = Consumed()
    with closing(consumer_of(producer, topic, told)) as consumer:
        polled = consumer.poll(10)
        consumed = consumer.consume(2, timeout=10)

    assert [one.value() for one in [polled, *consumed]] == [b"v0", b"v1", b"v2"]
    assert [one[:3] for one in told.records] == [(topic, 0, 0), (topic, 0, 1), (topic, 0, 2)]
    first = told.records[0]
    assert (first.key, first.value, first.headers) == (b"k", b"v0", (Header("h", b"1"),))
    assert (first.timestamp_ms, first.timestamp_type) == (1_000, 0)
    assert (first.serialized_key_size, first.serialized_value_size) == (1, 2)


def test_what_one_returns_is_what_the_next_one_and_the_application_get(producer: Any, topic: str) -> None:
    last = Consumed()
    upper = Consumed(lambda records: [one._replace(value=one.value.upper(), key=None) for one in records])
    without_first = Consumed(lambda records: [one for one in records if one.offset > 0])
    with closing(consumer_of(producer, topic, upper, without_first, last)) as consumer:
        messages = consumer.consume(3, timeout=10)

    assert [(one.offset(), one.key(), one.value()) for one in messages] == [(1, None, b"V1"), (2, None, b"V2")]
    assert [one.value for one in last.records] == [b"V1", b"V2"]


def test_a_record_that_is_dropped_is_no_record_for_poll(producer: Any, topic: str) -> None:
    with closing(consumer_of(producer, topic, Consumed(lambda records: []))) as consumer:
        assert consumer.poll(10) is None
        assert consumer.position([confluent_kafka.TopicPartition(topic, 0)])[0].offset == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda records: None,
        lambda records: [None],
        lambda records: [*records, *records],
        lambda records: [ConsumerRecord("another", 0, 0)],
        lambda records: records[99],
    ],
    ids=["None", "a list of None", "twice", "another topic", "raises"],
)
def test_what_are_not_the_records_of_the_consumer_is_not_handed_on(producer: Any, topic: str, change: Any) -> None:
    wrong, last = Consumed(change), Consumed()
    before = FAILURES.counts().get((f"{Consumed.__module__}.Consumed", "on_consume"), 0)
    with closing(consumer_of(producer, topic, wrong, last)) as consumer:
        messages = consumer.consume(3, timeout=10)

    assert [one.value() for one in messages] == [b"v0", b"v1", b"v2"]
    assert [one.offset for one in last.records] == [0, 1, 2]
    assert FAILURES.counts()[f"{Consumed.__module__}.Consumed", "on_consume"] == before + 1


def test_committed_offsets_are_told_whichever_way_they_are_committed(producer: Any, topic: str) -> None:
    told, seen = Consumed(), []
    with closing(consumer_of(producer, topic, told, on_commit=lambda *given: seen.append(given))) as consumer:
        message = consumer.poll(10)
        consumer.commit(message, asynchronous=False)
        assert [next(iter(one.items())) for one in told.commits] == [
            ((topic, 0), (1, "", told.commits[0][topic, 0].leader_epoch))
        ]
        consumer.commit(consumer.poll(10))
        eventually(lambda: consumer.poll(0.1), lambda _: len(told.commits) > 1, every=0)

    assert told.commits[1][topic, 0].offset == 2
    assert told.closed == 1


def test_hooks_of_a_deserializing_consumer_see_records_after_they_are_deserialized(producer: Any, topic: str) -> None:
    told = Consumed(lambda records: [one._replace(value=one.value + "!") for one in records])
    consumer = consumer_of(
        producer,
        topic,
        told,
        kind=wrap(confluent_kafka.DeserializingConsumer),
        **{"value.deserializer": lambda data, _: data.decode()},
    )
    with closing(consumer):
        message = consumer.poll(10)

    assert told.records[0].value == "v0"
    assert message.value() == "v0!"


def test_errors_among_messages_are_shown_to_the_application_alone(producer: Any, topic: str) -> None:
    told = Consumed()
    with closing(consumer_of(producer, topic, told, **{"enable.partition.eof": True})) as consumer:
        messages = []
        while len(messages) < 4:
            messages.extend(consumer.consume(4, timeout=10))

    assert messages[-1].error().code() == confluent_kafka.KafkaError._PARTITION_EOF
    assert len(told.records) == 3
