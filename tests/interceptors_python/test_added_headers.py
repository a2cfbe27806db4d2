"""Stamp, Tracing and Checksum add headers and nothing else: the broker is librdkafka's own mock cluster."""

from __future__ import annotations

import base64
import json
import uuid
from contextlib import closing
from typing import Any

import confluent_kafka
import pytest
from confluent_kafka import DeserializingConsumer, SerializingProducer

from kwitness_interceptors import Header, ProducerInterceptor, ProducerRecord, wrap
from kwitness_interceptors.adding.checksum import checksum
from kwitness_interceptors.adding.stamp import ProducerStamp, unique_id
from kwitness_interceptors.adding.traceparent import TraceParent, begun, parse_traceparent
from kwitness_interceptors.adding.tracing import ProducerTracing
from kwitness_interceptors.clients.refused_headers import refuses_headers
from kwitness_interceptors.interface import ConsumerInterceptor
from kwitness_interceptors.measures.client_counts import ClientCounts
from kwitness_interceptors.profile import PRODUCER, Profile
from kwitness_interceptors.settings import Stamp, parse_settings

from .confluent_samples import MOCK, mock_bootstrap, read_all, topic_name
from .own_process import anomalies
from tests.eventually import deliver
from tests.vectors import vectors

LEAST = vectors("interceptor_settings", "valid")[1]["settings"]
OWN = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
OTHERS = (
    Header("tracestate", b"congo=t61rcWkgMzE"),
    Header("b3", b"80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1"),
    Header("X-B3-TraceId", b"80f198ee56343ba864fe8b2a57d3eff7"),
    Header("x-datadog-trace-id", b"8523431043"),
    Header("sw8", b"1-TRACEID-SEGMENTID-3-SERVICE"),
    Header("uber-trace-id", b"4bf92f3577b34da6:00f067aa0ba902b7:0:1"),
    Header("X-Amzn-Trace-Id", b"Root=1-67891233-abcdef012345678912345678"),
    Header("newrelic", b"eyJ2IjpbMCwxXX0="),
    Header("Traceparent", b"of somebody who writes it otherwise"),
)
"""As other vendors write them."""


def headers_sent(kind: Any, config: dict[str, Any], *records: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Produce records; return the headers with which each of them arrived, and the messages."""
    topic = topic_name()
    with closing(wrap(kind)(MOCK | {"client.id": "shop"} | config)) as producer:
        for record in records:
            producer.produce(topic, **{"partition": 0} | record)
        deliver(producer)
        messages = read_all(mock_bootstrap(producer), topic, len(records))
    return [dict(one.headers() or ()) for one in messages], messages


@pytest.mark.parametrize("one", vectors("traceparent", "headers"), ids=lambda one: one["name"])
def test_a_traceparent_is_read_as_elsewhere(one: dict[str, Any]) -> None:
    found = parse_traceparent(one["traceparent"].encode())

    if one["trace_id"] is None:
        assert found is None
    else:
        assert found is not None
        assert (found.trace_id, found.parent_id, found.sampled) == (one["trace_id"], one["parent_id"], one["sampled"])


@pytest.mark.parametrize("one", vectors("header_checksums", "checksums"), ids=lambda one: one["name"])
def test_a_checksum_is_computed_as_elsewhere(one: dict[str, Any]) -> None:
    key, value = (None if one[name] is None else base64.b64decode(one[name]) for name in ("key_base64", "value_base64"))

    assert checksum(key, value) == base64.b64decode(one["checksum_base64"])


def test_a_unique_id_is_a_uuid_of_version_7_that_sorts_by_time() -> None:
    milliseconds = 1_700_000_000_123
    ids = [unique_id(lambda now=now: now * 1_000_000) for now in (milliseconds, milliseconds + 1, milliseconds + 2)]

    assert ids == sorted(ids)
    assert {(len(one), uuid.UUID(one).version, uuid.UUID(one).variant) for one in ids} == {(36, 7, uuid.RFC_4122)}
    assert uuid.UUID(ids[0]).int >> 80 == milliseconds
    assert len({unique_id(lambda: 0) for _ in range(100)}) == 100


def test_stamps_are_what_they_say_and_change_no_key_value_partition_or_header(profile: Any) -> None:
    sources = ("ClientId", "ClusterId", "Pod", "Namespace", "Workload", "UniqueId")
    stamps = [{"key": source, "from": source} for source in sources]
    stamps += [
        {"key": "stage", "from": "Value", "value": "test"},
        {"key": "team", "from": "Attribute", "value": "team"},
    ]
    stamps += [
        {"key": "unknown", "from": "Attribute", "value": "nobody"},
        {"key": "own", "from": "Value", "value": "x"},
    ]
    profile(
        {"type": "Stamp", "stamps": stamps},
        attributes={"team": "shop"},
        workload={"kind": "Deployment", "name": "orders"},
    )

    given = {"key": b"k", "value": b"v", "partition": 1, "headers": [("own", b"1"), ("own", b"2")]}
    _, [message, other] = headers_sent(confluent_kafka.Producer, {}, given, {"value": b"w", "partition": 1})

    headers = message.headers()
    assert headers[:2] == [("own", b"1"), ("own", b"2")]
    values = dict(headers[2:])
    unique = values.pop("UniqueId")
    assert uuid.UUID(unique.decode()).version == 7
    assert values == {
        "ClientId": b"shop",
        "ClusterId": LEAST["cluster_id"].encode(),
        "Pod": b"orders-1",
        "Namespace": b"shop",
        "Workload": b"orders",
        "stage": b"test",
        "team": b"shop",
    }
    assert (message.key(), message.value(), message.partition()) == (b"k", b"v", 1)
    assert dict(other.headers())["UniqueId"] != unique
    assert dict(other.headers())["own"] == b"x"


def test_a_tombstone_stays_one_whatever_is_added(profile: Any) -> None:
    stamp = {"type": "Stamp", "stamps": [{"key": "stage", "from": "Value", "value": "test"}]}
    profile(stamp, {"type": "Tracing"}, {"type": "Checksum"})

    [headers], [message] = headers_sent(confluent_kafka.Producer, {}, {"key": b"k", "value": None})

    assert message.value() is None
    assert set(headers) == {"stage", "traceparent", "kwitness.checksum"}
    assert headers["kwitness.checksum"] == checksum(b"k", None)


def test_topics_that_the_profile_leaves_out_get_no_header(profile: Any) -> None:
    profile({"type": "Tracing"}, {"type": "Checksum"}, topics=["payments*"])

    [headers], _ = headers_sent(confluent_kafka.Producer, {}, {"value": b"v"})

    assert headers == {}


def traced(header: str | None, *headers: Header) -> tuple[Header, ...]:
    record = ProducerRecord("orders", b"v", headers=headers)
    return ProducerTracing(header, None, lambda _: True).on_send(record).headers


def test_a_trace_is_begun_and_other_vendors_headers_stay_as_they_are() -> None:
    headers = traced(None, *OTHERS)

    assert headers[:-1] == OTHERS
    assert headers[-1].key == "traceparent"
    found = parse_traceparent(headers[-1].value)
    assert found is not None
    assert found.sampled
    assert traced(None)[0] != traced(None)[0]


def test_a_records_own_trace_is_continued_as_it_is() -> None:
    headers = (Header("traceparent", OWN), *OTHERS)
    record = ProducerRecord("orders", b"v", headers=headers)

    assert ProducerTracing(None, None, lambda _: True).on_send(record) is record


def test_what_is_no_trace_gives_way_to_one_that_begins() -> None:
    headers = traced(None, Header("traceparent", b"00-0-0-00"), Header("a", b"x"), Header("traceparent", None))

    assert [one.key for one in headers] == ["a", "traceparent"]
    assert parse_traceparent(headers[-1].value) is not None


def test_a_header_of_ones_own_has_the_id_of_the_trace() -> None:
    own = Header("traceparent", OWN)

    assert traced("shop.trace", own) == (own, Header("shop.trace", OWN[3:35]))
    assert traced("shop.trace", own, Header("shop.trace", b"old")) == (own, Header("shop.trace", OWN[3:35]))


def test_a_trace_is_written_as_it_is_read() -> None:
    for one in (begun(), TraceParent("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", 0)):
        assert parse_traceparent(bytes(one)) == one


def upper(value: Any, _: object) -> bytes:
    return str(value).upper().encode()


def test_a_checksum_is_of_the_bytes_that_are_sent(profile: Any) -> None:
    profile({"type": "Checksum"})

    plain, _ = headers_sent(
        confluent_kafka.Producer, {}, {"key": "k", "value": "\u20ac"}, {"value": b"v", "headers": {"a": "1"}}
    )
    assert plain == [
        {"kwitness.checksum": checksum(b"k", "\u20ac".encode())},
        {"a": b"1", "kwitness.checksum": checksum(None, b"v")},
    ]
    assert anomalies() == {}


def test_a_checksum_that_a_record_has_is_left_as_it_is(profile: Any) -> None:
    profile({"type": "Checksum", "header": "sum"})

    [headers], _ = headers_sent(confluent_kafka.Producer, {}, {"value": b"v", "headers": [("sum", b"mine")]})

    assert headers == {"sum": b"mine"}


def test_a_checksum_that_cannot_be_known_is_left_out_and_counted(profile: Any) -> None:
    profile({"type": "Checksum"})

    # Its base is the client's own class here, which has no hooks.
    [headers], _ = headers_sent(SerializingProducer, {"value.serializer": upper}, {"value": "v"})

    assert headers == {}
    assert anomalies() == {"checksum_left_out": 1}


@pytest.mark.parametrize("deserializing", [False, True])
def test_a_consumer_counts_checksums_that_differ(profile: Any, *, deserializing: bool) -> None:
    profile({"type": "Checksum"})
    topic = topic_name()
    with closing(confluent_kafka.Producer(MOCK)) as producer:
        for value, header in ((b"v", checksum(None, b"v")), (b"v", checksum(None, b"w")), (b"v", b""), (b"v", None)):
            headers = None if header is None else [("kwitness.checksum", header)]
            producer.produce(topic, value, partition=0, headers=headers)
        deliver(producer)
        config = {"bootstrap.servers": mock_bootstrap(producer), "group.id": topic, "auto.offset.reset": "earliest"}
        more = {"value.deserializer": lambda value, _: value.decode()} if deserializing else {}
        kind: Any = DeserializingConsumer if deserializing else confluent_kafka.Consumer
        with closing(wrap(kind)(config | more)) as consumer:
            consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
            found = [consumer.poll(20).value() for _ in range(4)]

    assert found == ["v" if deserializing else b"v"] * 4
    # A class that has no hooks in its base is not shown the bytes.
    assert anomalies() == ({"checksum_not_compared": 3} if deserializing else {"checksum_mismatch": 2})


def test_a_record_that_is_too_large_with_what_is_added_goes_without(profile: Any) -> None:
    profile({"type": "Stamp", "stamps": [{"key": "big", "from": "Value", "value": "x" * 900}]}, {"type": "Checksum"})
    config = {"message.max.bytes": 2000}

    found, _ = headers_sent(
        confluent_kafka.Producer, config, {"value": b"v" * 1500, "headers": {"own": b"1"}}, {"value": b"v"}
    )

    assert found[0] == {"own": b"1"}
    assert set(found[1]) == {"big", "kwitness.checksum"}
    assert anomalies() == {"headers_refused": 1}


def test_what_the_client_refuses_without_them_is_refused(profile: Any) -> None:
    profile({"type": "Tracing"})
    with (
        closing(wrap(confluent_kafka.Producer)(MOCK | {"message.max.bytes": 2000})) as producer,
        pytest.raises(confluent_kafka.KafkaException, match="MSG_SIZE_TOO_LARGE"),
    ):
        producer.produce("orders", b"v" * 3000)

    assert anomalies() == {}


def test_records_of_a_batch_of_librdkafka_go_without_and_are_counted(profile: Any) -> None:
    profile({"type": "Stamp", "stamps": [{"key": "stage", "from": "Value", "value": "test"}]}, {"type": "Checksum"})
    topic = topic_name()
    with closing(wrap(confluent_kafka.Producer)(MOCK)) as producer:
        assert producer.produce_batch(topic, [{"value": b"v"}, {"value": b"w"}]) == 2
        deliver(producer)

    assert anomalies() == {"headers_left_out": 2}


class UnsupportedVersionError(Exception):
    """As aiokafka calls it where a topic's format has no headers."""


@pytest.mark.parametrize(
    ("error", "refuses"),
    [
        (AssertionError("Headers not supported in v0/v1"), True),
        (UnsupportedVersionError(), True),
        (
            confluent_kafka.KafkaException(confluent_kafka.KafkaError(confluent_kafka.KafkaError.MSG_SIZE_TOO_LARGE)),
            True,
        ),
        (confluent_kafka.KafkaException(confluent_kafka.KafkaError(confluent_kafka.KafkaError._QUEUE_FULL)), False),
        (AssertionError("key must be bytes"), False),
        (BufferError("Local: Queue full"), False),
        (TypeError(), False),
    ],
    ids=repr,
)
def test_clients_refuse_headers_in_these_words(error: Exception, *, refuses: bool) -> None:
    assert refuses_headers(error) is refuses


def test_a_profile_without_them_makes_nothing_of_records_that_only_count() -> None:
    entries = [{"name": "audit", "type": "Audit"}, {"name": "sizes", "type": "Sizes"}]
    made = Profile(parse_settings(json.dumps(LEAST | {"interceptors": entries})))
    counts = ClientCounts(1, PRODUCER, "c", None, window_ms=1_000, most_topics=1, most_partitions=1)

    assert len(made.interceptors(PRODUCER, {}, counts)) == 1


def test_stamps_at_a_consumer_are_nothing() -> None:
    entry = {"name": "stamp", "type": "Stamp", "stamps": [{"key": "a", "from": "Value", "value": "x"}]}
    made = Profile(parse_settings(json.dumps(LEAST | {"interceptors": [entry]})))

    assert made.interceptors("consumer", {}, None) == []
    [(_, stamp)] = made.interceptors(PRODUCER, {}, None)
    assert isinstance(stamp, ProducerStamp)
    assert isinstance(stamp, ProducerInterceptor)
    assert not isinstance(stamp, ConsumerInterceptor)
    assert Stamp("a", "Value", "x") == entry_stamp(made)


def entry_stamp(made: Profile) -> Stamp:
    return made.settings.interceptors[0].stamps[0]
