"""Every supported broker version, with real clients: who pushed is known in full, and who is connected is counted."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.decompression import decompress
from kwitness.contracts.envelopes import GaugeSnapshot, PushBatch
from kwitness.e2e.kafka.broker_requests import say_software
from kwitness.e2e.kafka.local_broker import Listener
from kwitness.e2e.recording_collector import RecordingCollector

from tests.broker_plugin.conftest import INTERVAL_MS

pytestmark = pytest.mark.broker


def test_a_push_of_librdkafka_carries_the_full_identity(plugged, librdkafka_producer):
    broker, collector = plugged
    with librdkafka_producer(broker.bootstrap, "orders"):
        push = _push_of(collector, "orders")
    _assert_identity(push, "User:ANONYMOUS", "PLAINTEXT", "confluent-kafka-python")
    assert "-rdkafka-" in push["client_software_version"]
    assert "org.apache.kafka.producer.connection.creation.total" in _metric_names(push)


def test_a_push_of_the_java_client_carries_the_full_identity_and_only_kafka_3_7_leaves_it_compressed(
    plugged, java_client
):
    broker, collector = plugged
    with java_client("producer", broker.bootstrap, "billing"):
        push = _push_of(collector, "billing")
    _assert_identity(push, "User:ANONYMOUS", "PLAINTEXT", "apache-kafka-java")
    assert push["client_software_version"] == "4.1.2"
    assert push.get("payload_compression") == ("zstd" if broker.version.startswith("3.7.") else None)
    assert "org.apache.kafka.producer.connection.creation.total" in _metric_names(push)


def test_the_last_push_of_a_client_says_that_it_terminates(plugged, java_client):
    broker, collector = plugged
    with java_client("consumer", broker.bootstrap, "leaving"):
        assert not _push_of(collector, "leaving")["terminating"]
    last = collector.wait_for(
        lambda: [p for p in collector.pushes() if p.get("client_id") == "leaving" and p["terminating"]],
        what="a terminating push",
    )
    assert len(last) == 1


def test_a_push_over_sasl_names_the_user(plugged, librdkafka_producer):
    broker, collector = plugged
    sasl = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanisms": "PLAIN",
        "sasl.username": "alice",
        "sasl.password": "alice-secret",
    }
    with librdkafka_producer(broker.bootstrap_of(Listener.SASL_PLAINTEXT_PLAIN), "alices", **sasl):
        push = _push_of(collector, "alices")
    _assert_identity(push, "User:alice", "SASL_PLAINTEXT_PLAIN", "confluent-kafka-python")


def test_only_newer_brokers_tell_the_push_interval(plugged, librdkafka_producer):
    broker, collector = plugged
    with librdkafka_producer(broker.bootstrap, "timed"):
        push = _push_of(collector, "timed")
    assert push.get("push_interval_ms") == (INTERVAL_MS if broker.version == "4.3.1" else None)


def test_the_connection_gauge_is_summed_over_network_processors_and_gone_at_zero(plugged):
    broker, collector = plugged
    name, port = "gauge-test", int(broker.bootstrap.rpartition(":")[2])
    with contextlib.ExitStack() as connections:
        for _ in range(9):  # the broker gives connections to its two network processors in turn
            connections.enter_context(say_software(("127.0.0.1", port), name, "1.0"))
        found = collector.wait_for(
            lambda: (one := _gauge(collector, name)) and one["connections"] == 9 and one, what="nine connections"
        )
        assert (found["listener"], found["client_software_version"]) == ("PLAINTEXT", "1.0")
        assert [one["client_software_name"] for one in collector.heartbeats()[-1]["connections"]].count(name) == 1
    collector.wait_for(lambda: _gauge(collector, name) is None, what="the gauge to be gone")


def test_instances_that_asked_for_a_subscription_are_named(plugged, librdkafka_producer):
    broker, collector = plugged
    with librdkafka_producer(broker.bootstrap, "asking"):
        instance = _push_of(collector, "asking")["client_instance_id"]
        if broker.version.startswith("3.7."):
            # That version has no metric per instance, which the heartbeat says.
            assert collector.heartbeats()[-1]["warnings"] == ["AskingUnavailable"]
            return
        collector.wait_for(lambda: instance in collector.heartbeats()[-1]["asking"], what="the instance")
    assert collector.heartbeats()[-1]["warnings"] == []


def test_messages_are_as_the_contract_says(plugged, librdkafka_producer):
    broker, collector = plugged
    with librdkafka_producer(broker.bootstrap, "contract"):
        _push_of(collector, "contract")
    batches = [PushBatch.model_validate(r.body) for r in collector.requests("/v1/pushes")]
    snapshots = [GaugeSnapshot.model_validate(r.body) for r in collector.requests("/v1/gauges")]
    assert {batch.source for batch in batches} == {f"{broker.cluster_id}/1"}
    assert {batch.kafka_version for batch in batches} == {broker.version}
    assert len({batch.epoch for batch in batches} | {snapshot.epoch for snapshot in snapshots}) == 1
    numbers = [push.seq for batch in batches for push in batch.pushes]
    assert numbers == list(range(1, len(numbers) + 1))
    assert snapshots[-1].push_sharing_inter_broker_listener  # the tests' clients use PLAINTEXT, as brokers do
    assert not any(gauge.listener == "CONTROLLER" for snapshot in snapshots for gauge in snapshot.connections)


def test_the_ledger_in_the_heartbeat_adds_up(plugged, librdkafka_producer):
    broker, collector = plugged
    with librdkafka_producer(broker.bootstrap, "ledger"):
        _push_of(collector, "ledger")
        received = len(collector.pushes())
        ledger = collector.wait_for(
            lambda: (seen := collector.heartbeats()[-1]["ledger"])["delivered"] >= received and seen,
            what="a heartbeat that counts the pushes",
        )
    assert ledger["accepted"] == ledger["delivered"] + ledger["queued"]
    assert ledger["dropped"] == {}


def _push_of(collector: RecordingCollector, client_id: str) -> dict[str, Any]:
    """The first push of a client that holds metrics."""
    return collector.wait_for(
        lambda: next((p for p in collector.pushes() if p.get("client_id") == client_id and p["payload"]), None),
        what=f"a push of {client_id}",
    )


def _assert_identity(push: dict[str, Any], principal: str, listener: str, software: str) -> None:
    assert push["principal"] == principal
    assert push["listener"] == listener
    assert push["client_software_name"] == software
    assert push["client_address"] == "127.0.0.1"
    assert 0 < push["client_source_port"] < 65_536
    assert len(base64.urlsafe_b64decode(push["client_instance_id"] + "==")) == 16


def _metric_names(push: dict[str, Any]) -> set[str]:
    payload = base64.b64decode(push["payload"])
    if "payload_compression" in push:
        payload = decompress(payload, push["payload_compression"], 1_000_000)
    data = MetricsData.FromString(payload)
    return {m.name for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}


def _gauge(collector: RecordingCollector, software: str) -> dict[str, Any] | None:
    gauges = collector.heartbeats()[-1]["connections"]
    return next((gauge for gauge in gauges if gauge["client_software_name"] == software), None)
