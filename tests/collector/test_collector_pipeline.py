"""The whole way of a push through a real process and a real broker."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, Message

from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.collector.collector_process import TOPICS, CollectorProcess
from tests.collector.collector_samples import (
    CLUSTER,
    CREATION_SERIES,
    LATENCY_SERIES,
    batch,
    counter_push,
    gauges,
    java_push,
    librdkafka_push,
    push,
)
from tests.eventually import eventually

pytestmark = pytest.mark.broker
Start = Callable[..., CollectorProcess]


def read_topic(broker: LocalBroker, topic: str, wanted: Callable[[Message], bool], count: int) -> list[Message]:
    """Read a topic from its start until ``count`` wanted records were seen."""
    consumer = Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": f"test-{time.time_ns()}", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([topic])
    found: list[Message] = []

    def read() -> int:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None and wanted(message):
            found.append(message)
        return len(found)

    eventually(read, lambda number: number >= count, every=0)
    consumer.close()
    return found


def test_a_push_reaches_prometheus_the_topic_and_the_inventory(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    payload = java_push(connections=3, latency_ms=12)

    answer = collector.deliver(batch([push(1, payload, client="way-1")]), compress=True)

    assert (answer.status, answer.body) == (200, {"accepted": 1, "duplicates": 0, "rejected": []})
    assert collector.value(CREATION_SERIES, client_id="orders", cluster_id=CLUSTER) == 3
    assert collector.value(LATENCY_SERIES, node_id="1") == pytest.approx(0.012)
    [record] = read_topic(broker, TOPICS["telemetry"], lambda message: message.key() == b"way-1", 1)
    assert record.value() == payload
    headers = {key: value.decode() for key, value in record.headers() or []}
    assert headers == {
        "schema": "kwitness.telemetry/1",
        "event_source": f"{CLUSTER}/1",
        "event_epoch": "1",
        "event_seq": "1",
        "received_at_ms": "1700000000001",
        "content_type": "application/x-protobuf",
        "push_interval_ms": "60000",
        "cluster_id": CLUSTER,
        "broker_id": "1",
        "listener": "PLAINTEXT",
        "principal": "User:alice",
        "client_id": "orders",
        "client_instance_id": "way-1",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "client_address": "10.0.0.7",
        "client_source_port": "40000",
    }
    [item] = collector.get("/v1/clients").body["items"]
    assert item["client_instance_id"] == "way-1"
    assert item["push_interval_ms"] == 60_000
    assert len(item["metrics"]) == 2


def test_a_push_that_comes_again_is_counted_once(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    body = batch([push(1, counter_push(5)), push(2, counter_push(7)), push(2, counter_push(7))])
    collector.deliver(body)

    answer = collector.deliver(body)

    assert answer.body == {"accepted": 0, "duplicates": 3, "rejected": []}
    samples = collector.scrape()
    assert samples[CREATION_SERIES].popitem()[1] == 12
    assert samples["kwitness_duplicates_total"].popitem()[1] == 4


def test_java_and_librdkafka_encodings_of_a_metric_become_one_family(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    other = {"client_id": "payments", "client_software_name": "librdkafka", "client_software_version": "2.16.0"}

    collector.deliver(
        batch([push(1, java_push(1, 20), client="j"), push(2, librdkafka_push(2, 40), client="l", **other)])
    )

    samples = collector.scrape()
    assert sorted(samples[CREATION_SERIES].values()) == [1, 2]
    assert sorted(samples[LATENCY_SERIES].values()) == [pytest.approx(0.02), pytest.approx(0.04)]
    assert not [name for name in samples if "milliseconds" in name or "ratio" in name]


def test_without_kafka_a_batch_is_given_back_and_nothing_is_exposed(start: Start) -> None:
    collector = start(bootstrap="127.0.0.1:9")

    answer = collector.push(batch([push(1, counter_push(5))]))

    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.body["error"]["reason"] == "KafkaUnavailable"
    samples = collector.scrape()
    assert CREATION_SERIES not in samples
    assert collector.get("/v1/clients").body == {"items": [], "matched": 0, "missing": []}


def test_a_record_the_topic_refuses_for_its_size_is_rejected_alone(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    # Random bytes do not compress, so that the record stays above the broker's limit of one megabyte.
    body = batch([push(1, counter_push(5)), push(2, os.urandom(1_500_000))])

    answer = collector.deliver(body)

    assert answer.status == 200
    assert answer.body["accepted"] == 1
    assert [(one["seq"], one["reason"]) for one in answer.body["rejected"]] == [(2, "TooLarge")]
    # Whoever did not get that answer is told again.
    again = collector.deliver(body).body
    assert (again["accepted"], again["duplicates"], again["rejected"]) == (0, 1, answer.body["rejected"])


def test_a_batch_of_the_largest_size_is_written_but_for_records_that_the_topic_refuses(
    start: Start, broker: LocalBroker
) -> None:
    collector = start(bootstrap=broker.bootstrap)
    # As Kafka 3.7 sends them: small on the way, large once decompressed.
    payload = gzip.compress(bytes(900_000))
    pushes = [push(seq, payload, payload_compression="gzip") for seq in range(17)]
    pushes[10] = push(10, os.urandom(1_500_000))

    answer = collector.deliver(batch(pushes))
    larger = collector.deliver(batch([push(seq, payload, payload_compression="gzip") for seq in range(20, 40)]))

    assert (answer.status, answer.body["accepted"]) == (200, 16)
    assert [(entry["seq"], entry["reason"]) for entry in answer.body["rejected"]] == [(10, "TooLarge")]
    assert larger.status == 413, "its sender halves the batch"


def test_heartbeats_add_up_over_brokers_and_reach_the_connections_topic(start: Start, broker: LocalBroker) -> None:
    collector = start(bootstrap=broker.bootstrap)
    software = ("kafka-python", "2.0.2")

    for number, count in (("1", 2), ("2", 3)):
        answer = collector.post("/v1/gauges", gauges({software: count}, broker=number, warnings=["JmxReporterMissing"]))
        assert (answer.status, answer.body) == (200, {})

    assert collector.value("kafka_client_connections", source="broker", client_software_name="kafka-python") == 5
    cluster = collector.get(f"/v1/clusters/{CLUSTER}").body
    assert [one["broker_id"] for one in cluster["brokers"]] == ["1", "2"]
    assert cluster["brokers"][0]["warnings"] == ["JmxReporterMissing"]
    assert cluster["software"][0]["connections"] == 5
    records = read_topic(broker, TOPICS["connections"], lambda _: True, 2)
    snapshots: list[Any] = [json.loads(record.value() or b"") for record in records]
    assert {one["broker_id"] for one in snapshots} == {"1", "2"}
    assert {one["kind"] for one in snapshots} == {"snapshot"}

    for number in ("1", "2"):
        collector.post("/v1/gauges", gauges({software: 0}, broker=number))

    assert collector.value("kafka_client_connections") is None
    memory = collector.get(f"/v1/clusters/{CLUSTER}").body["software"]
    assert (memory[0]["client_software_name"], memory[0]["connections"]) == ("kafka-python", 0)
