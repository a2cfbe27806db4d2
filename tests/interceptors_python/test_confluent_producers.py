"""Producers of confluent-kafka call interceptors as KIP-42 says; the broker is librdkafka's mock cluster."""

from __future__ import annotations

import gc
import logging
from typing import Any

import confluent_kafka
import pytest
from confluent_kafka.serialization import StringSerializer

from kwitness_interceptors import Header, ProducerInterceptor, ProducerRecord, wrap
from kwitness_interceptors.containment import FAILURES

from .confluent_samples import MOCK, Appending, Raising, Told, mock_bootstrap, read_all, topic_name
from tests.eventually import deliver

Producer = wrap(confluent_kafka.Producer)


@pytest.fixture
def topic() -> str:
    return topic_name()


def produced(interceptors: list[object], topic: str, *values: bytes, **config: object) -> Any:
    producer = Producer({**MOCK, "interceptor.classes": interceptors, **config})
    for value in values:
        producer.produce(topic, value, key=b"k", partition=0)
    deliver(producer)
    return producer


def test_each_interceptor_gets_what_the_one_before_it_returned(topic: str) -> None:
    log: list[object] = []
    producer = produced([Appending("a", log), Appending("b", log)], topic, b"v")

    (record,) = read_all(mock_bootstrap(producer), topic, 1)
    assert record.value() == b"vab"
    assert log == [
        ("a", "on_send", b"v"),
        ("b", "on_send", b"va"),
        ("a", "on_acknowledgement", 0),
        ("b", "on_acknowledgement", 0),
    ]


def test_one_that_raises_is_counted_and_logged_and_the_next_gets_the_last_good_record(
    topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    class RaisesHere(Raising):
        pass

    first, last = Appending("a"), Told()
    with caplog.at_level(logging.WARNING, "kwitness.interceptors"):
        producer = produced([first, RaisesHere(), last], topic, b"v", b"w")

    assert [one.value for one in last.sent] == [b"va", b"wa"]
    assert [one.value() for one in read_all(mock_bootstrap(producer), topic, 2)] == [b"va", b"wa"]
    name = f"{__name__}.{RaisesHere.__qualname__}"
    assert FAILURES.counts()[name, "on_send"] == 2
    assert FAILURES.counts()[name, "on_acknowledgement"] == 2
    (line,) = [one for one in caplog.messages if name in one and "in on_send" in one]
    assert f"topic {topic}, partition 0" in line
    producer.close()
    assert FAILURES.counts()[name, "close"] == 1


@pytest.mark.parametrize(
    "changes",
    [None, b"bytes", {"topic": "another"}, {"headers": [("trace", 1)]}, {"partition": -5}, {"timestamp_ms": "now"}],
    ids=str,
)
def test_what_is_no_record_of_this_topic_is_not_sent(topic: str, changes: Any) -> None:
    class Returning(ProducerInterceptor):
        def on_send(self, record: ProducerRecord) -> ProducerRecord:
            return record._replace(**changes) if isinstance(changes, dict) else changes  # type: ignore[no-any-return]

    last = Told()
    producer = produced([Returning(), last], topic, b"v")

    assert [one.value for one in last.sent] == [b"v"]
    assert [one.value() for one in read_all(mock_bootstrap(producer), topic, 1)] == [b"v"]


def test_the_acknowledgement_comes_just_before_the_callback_of_the_application(topic: str) -> None:
    told = Told()
    producer = Producer({**MOCK, "interceptor.classes": [told]})
    producer.produce(
        topic,
        "text",
        key="k",
        partition=0,
        on_delivery=lambda error, message: told.log.append(("application", error, message.offset())),
    )
    deliver(producer)

    assert told.log[1:] == [("told", "on_acknowledgement", 0), ("application", None, 0)]
    ((metadata, exception),) = told.acknowledged
    assert exception is None
    assert metadata[:3] == (topic, 0, 0)
    assert (metadata.serialized_key_size, metadata.serialized_value_size) == (1, 4)
    assert metadata.elapsed_seconds > 0


def test_the_callback_of_the_configuration_is_called_as_before(topic: str) -> None:
    seen: list[object] = []
    produced([Told()], topic, b"v", on_delivery=lambda error, message: seen.append((error, message.value())))

    assert seen == [(None, b"v")]


def test_an_application_that_wants_errors_alone_gets_errors_alone(topic: str) -> None:
    told, seen = Told(), []
    produced(
        [told], topic, b"v", **{"delivery.report.only.error": True, "on_delivery": lambda *given: seen.append(given)}
    )

    assert len(told.acknowledged) == 1
    assert seen == []


def test_a_refused_produce_is_told_with_partition_minus_one_and_still_raises(topic: str) -> None:
    told = Told()
    producer = Producer({**MOCK, "interceptor.classes": [told], "message.max.bytes": 2000})

    with pytest.raises(confluent_kafka.KafkaException) as raised:
        producer.produce(topic, b"x" * 3000)

    ((metadata, exception),) = told.acknowledged
    assert exception is raised.value
    assert (metadata.topic, metadata.partition, metadata.offset) == (topic, -1, -1)
    assert metadata.serialized_value_size == 3000


def test_a_full_queue_is_told_for_each_record_that_it_refuses(topic: str) -> None:
    told = Told()
    producer = Producer(
        {
            "bootstrap.servers": "127.0.0.1:1",
            "log_level": 0,
            "queue.buffering.max.messages": 1,
            "interceptor.classes": [told],
        }
    )
    producer.produce(topic, b"first")
    for _ in range(2):
        with pytest.raises(BufferError):
            producer.produce(topic, b"more")

    assert [type(exception) for _, exception in told.acknowledged] == [BufferError, BufferError]
    producer.purge()
    producer.flush(10)
    *_, (metadata, exception) = told.acknowledged
    assert metadata.partition == -1
    assert isinstance(exception, confluent_kafka.KafkaException)


def test_configure_gets_the_whole_configuration_with_the_client_id_and_the_client_gets_none_of_ours() -> None:
    named, unnamed = Told(), Told()
    Producer({**MOCK, "kwitness.audit.window": "30s", "interceptor.classes": [named], "client.id": "shop"})
    Producer(MOCK, **{"interceptor.classes": [unnamed]})

    assert named.config["client.id"] == "shop"
    assert named.config["bootstrap.servers"] == MOCK["bootstrap.servers"]
    assert named.config["kwitness.audit.window"] == "30s"
    assert unnamed.config["client.id"] == "rdkafka"


def test_classes_are_found_by_their_names_and_those_that_cannot_be_used_are_left_out(topic: str) -> None:
    names = f"no.such.Class, {__name__}.Unusable,Nameless,{__name__}.OfTheOtherKind,{__name__}.ByName"
    ByName.made.clear()
    produced([], topic, b"v", **{"interceptor.classes": names})

    (one,) = ByName.made
    assert [record.value for record in one.sent] == [b"v"]
    assert FAILURES.counts()[f"{__name__}.Unusable", "configure"] == 1
    assert FAILURES.counts()["no.such.Class", "load"] == 1
    assert FAILURES.counts()[f"{__name__}.OfTheOtherKind", "load"] == 1


class ByName(Told):
    made: list[Told] = []  # noqa: RUF012 - the test's own

    def __init__(self) -> None:
        super().__init__()
        self.made.append(self)


class Unusable(Told):
    def configure(self, config: Any) -> None:
        raise ValueError("no settings")


class OfTheOtherKind:
    """Is no producer's interceptor."""


def test_headers_and_key_may_be_changed_and_a_changed_key_is_counted(topic: str) -> None:
    class Changing(ProducerInterceptor):
        def on_send(self, record: ProducerRecord) -> ProducerRecord:
            return record._replace(key=b"other", headers=(*record.headers, Header("trace", b"1")))

    producer = Producer({**MOCK, "interceptor.classes": [Changing()]})
    producer.produce(topic, b"v", b"k", headers={"mine": "text"})
    producer.flush(10)

    (record,) = read_all(mock_bootstrap(producer), topic, 1)
    assert record.headers() == [("mine", b"text"), ("trace", b"1")]
    assert record.key() == b"other"
    assert FAILURES.counts()[f"{__name__}.{Changing.__qualname__}", "key_changed"] == 1


def test_a_changed_key_that_cannot_be_compared_is_let_through_as_another_one(topic: str) -> None:
    class Incomparable(bytes):
        def __ne__(self, other: object) -> bool:
            raise ValueError("the truth value is ambiguous")

        def __eq__(self, other: object) -> bool:
            raise ValueError("the truth value is ambiguous")

        __hash__ = bytes.__hash__

    class Replacing(ProducerInterceptor):
        def on_send(self, record: ProducerRecord) -> ProducerRecord:
            return record._replace(key=Incomparable(b"other"))

    producer = produced([Replacing()], topic, b"v")

    assert [one.key() for one in read_all(mock_bootstrap(producer), topic, 1)] == [b"other"]
    assert FAILURES.counts()[f"{__name__}.{Replacing.__qualname__}", "key_changed"] == 1


def test_records_of_a_batch_are_told_one_by_one_also_those_that_are_refused(topic: str) -> None:
    told, seen = Appending("+"), []
    producer = Producer({**MOCK, "interceptor.classes": [told], "message.max.bytes": 2000})
    messages = [
        {"value": b"a", "callback": lambda error, message: seen.append(("own", message.value()))},
        {"value": b"x" * 3000},
        {"value": b"c", "key": b"k"},
    ]
    given = [dict(one) for one in messages]

    queued = producer.produce_batch(
        topic, messages, on_delivery=lambda error, message: seen.append(("common", message.value()))
    )
    producer.flush(10)

    assert queued == 2
    assert sorted(seen) == [("common", b"c+"), ("own", b"a+")]
    assert [("_error" in one) for one in messages] == [False, True, False]
    assert [{key: value for key, value in one.items() if key != "_error"} for one in messages] == given
    assert [one.value for one in told.sent] == [b"a", b"x" * 3000, b"c"]
    assert sorted(exception is None for _, exception in told.acknowledged) == [False, True, True]
    assert next(metadata for metadata, exception in told.acknowledged if exception).partition == -1


def test_hooks_of_a_serializing_producer_see_records_before_they_are_serialized(topic: str) -> None:
    told = Told()
    serializing = wrap(confluent_kafka.SerializingProducer)
    producer = serializing(
        {**MOCK, "interceptor.classes": [told], "key.serializer": StringSerializer(), "value.serializer": str_of_number}
    )
    producer.produce(topic, "key", 7)
    with pytest.raises(confluent_kafka.error.ValueSerializationError):
        producer.produce(topic, key="key", value="no number")
    producer.flush(10)

    assert [(one.key, one.value) for one in told.sent] == [("key", 7), ("key", "no number")]
    (refused, error), (metadata, exception) = told.acknowledged
    assert isinstance(error, confluent_kafka.error.ValueSerializationError)
    assert refused.partition == -1
    assert exception is None
    assert (metadata.serialized_key_size, metadata.serialized_value_size) == (3, 1)
    assert "key.serializer" in told.config
    assert [one.value() for one in read_all(mock_bootstrap(producer), topic, 1)] == [b"7"]


def str_of_number(number: Any, _: object) -> bytes:
    return f"{number:d}".encode()


def test_interceptors_are_closed_once_with_their_producer_also_where_nobody_closes_it() -> None:
    closed, collected = Told(), Told()
    with Producer({**MOCK, "interceptor.classes": [closed]}):
        pass
    producer = Producer({**MOCK, "interceptor.classes": [collected]})
    del producer
    gc.collect()

    assert closed.log == [("told", "close")]
    assert collected.log == [("told", "close")]


def test_what_signals_raise_within_a_hook_reaches_the_application(topic: str) -> None:
    class Interrupted(ProducerInterceptor):
        def on_send(self, record: ProducerRecord) -> ProducerRecord:
            raise KeyboardInterrupt

    class Exiting(ProducerInterceptor):
        def on_send(self, record: ProducerRecord) -> ProducerRecord:
            raise SystemExit(1)

    produced([Exiting()], topic, b"v")
    with pytest.raises(KeyboardInterrupt):
        produced([Interrupted()], topic, b"v")


def test_a_class_without_interceptors_does_what_its_base_does(topic: str) -> None:
    producer = Producer(MOCK)
    producer.produce(topic, b"v")
    deliver(producer)
    assert isinstance(producer, confluent_kafka.Producer)
    assert (Producer.__name__, Producer.__module__) == ("Producer", confluent_kafka.Producer.__module__)
    with pytest.raises(TypeError):
        producer.produce(topic, b"v", no_such_argument=1)


def test_a_class_that_is_no_client_cannot_be_wrapped() -> None:
    with pytest.raises(TypeError, match="wrap a producer or consumer"):
        wrap(dict)
