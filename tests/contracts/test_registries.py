"""The registries: complete, free of contradictions, and equal to what clients really send."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from kwitness.contracts import client_metrics, own_metrics, reasons, record_headers, topics
from kwitness.contracts.collector_config import CollectorTopics
from kwitness.contracts.identity import DEFAULT_LABELS, IDENTITY_KEYS, Identity
from kwitness.contracts.resources import KINDS

STANDARD = {
    "producer": (
        "connection.creation.rate connection.creation.total node.request.latency.avg node.request.latency.max "
        "produce.throttle.time.avg produce.throttle.time.max record.queue.time.avg record.queue.time.max"
    ),
    "consumer": (
        "connection.creation.rate connection.creation.total node.request.latency.avg node.request.latency.max "
        "poll.idle.ratio.avg coordinator.commit.latency.avg coordinator.commit.latency.max "
        "coordinator.assigned.partitions coordinator.rebalance.latency.avg coordinator.rebalance.latency.max "
        "coordinator.rebalance.latency.total fetch.manager.fetch.latency.avg fetch.manager.fetch.latency.max"
    ),
}


@pytest.mark.parametrize("role", ["producer", "consumer"])
def test_exactly_the_standard_metrics_are_required(role) -> None:
    names = {f"org.apache.kafka.{role}.{name}" for name in STANDARD[role].split()}

    assert set(client_metrics.required_names(role)) == names


@pytest.mark.parametrize("role", ["producer", "consumer"])
def test_what_old_librdkafka_knows_is_part_of_the_standard(role) -> None:
    assert set(client_metrics.CRASH_PRONE_METRICS[role]) <= set(client_metrics.required_names(role))


def test_no_two_metrics_share_a_prometheus_name() -> None:
    names = Counter(metric.prometheus_name for metric in client_metrics.CLIENT_METRICS)
    names.update(metric.name for metric in own_metrics.OWN_METRICS)

    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("metric", client_metrics.CLIENT_METRICS, ids=lambda metric: metric.name)
def test_a_client_metric_is_named_as_prometheus_wants_it(metric) -> None:
    assert re.fullmatch(r"kafka_client_[a-z][a-z0-9_]*", metric.prometheus_name)
    assert metric.prometheus_name.endswith("_total") == (metric.type == "counter")
    assert metric.prometheus_name.count("_total") <= 1 or "buffer_total" in metric.prometheus_name
    assert "milliseconds" not in metric.prometheus_name
    if metric.unit in ("ms", "ns"):
        assert "seconds" in metric.prometheus_name


@pytest.mark.parametrize(
    ("wire", "prometheus", "scale", "combine"),
    [
        (
            "org.apache.kafka.producer.node.request.latency.avg",
            "kafka_client_producer_node_request_latency_avg_seconds",
            0.001,
            "mean",
        ),
        (
            "org.apache.kafka.producer.node.request.latency.max",
            "kafka_client_producer_node_request_latency_max_seconds",
            0.001,
            "max",
        ),
        (
            "org.apache.kafka.producer.connection.creation.total",
            "kafka_client_producer_connection_creation_total",
            1,
            "sum",
        ),
        (
            "org.apache.kafka.consumer.connection.creation.rate",
            "kafka_client_consumer_connection_creation_rate",
            1,
            "sum",
        ),
        (
            "org.apache.kafka.consumer.coordinator.assigned.partitions",
            "kafka_client_consumer_coordinator_assigned_partitions",
            1,
            "sum",
        ),
        (
            "org.apache.kafka.consumer.coordinator.rebalance.latency.total",
            "kafka_client_consumer_coordinator_rebalance_latency_seconds_total",
            0.001,
            "sum",
        ),
        ("org.apache.kafka.consumer.poll.idle.ratio.avg", "kafka_client_consumer_poll_idle_ratio_avg", 1, "mean"),
        (
            "org.apache.kafka.admin.client.node.request.latency.max",
            "kafka_client_admin_client_node_request_latency_max_seconds",
            0.001,
            "max",
        ),
        (
            "org.apache.kafka.consumer.share.fetch.manager.acknowledgements.error.total",
            "kafka_client_consumer_share_fetch_manager_acknowledgements_error_total",
            1,
            "sum",
        ),
        (
            "org.apache.kafka.stream.state.put.latency.avg",
            "kafka_client_stream_state_put_latency_avg_seconds",
            1e-9,
            "mean",
        ),
        (
            "org.apache.kafka.stream.failed.stream.threads",
            "kafka_client_stream_failed_stream_threads_total",
            1,
            "sum",
        ),
        (
            "org.apache.kafka.stream.task.restore.remaining.records.total",
            "kafka_client_stream_task_restore_remaining_records",
            1,
            "sum",
        ),
        (
            "org.apache.kafka.producer.io.wait.time.ns.total",
            "kafka_client_producer_io_wait_time_seconds_total",
            1e-9,
            "sum",
        ),
    ],
)
def test_a_name_on_the_wire_has_one_name_unit_and_rule(wire, prometheus, scale, combine) -> None:
    metric = client_metrics.lookup(wire)

    assert metric is not None
    assert (metric.prometheus_name, metric.scale, metric.combine) == (prometheus, scale, combine)


def test_a_metric_of_an_application_is_not_in_the_registry() -> None:
    assert client_metrics.lookup("com.example.orders") is None


@pytest.mark.parametrize("metric", own_metrics.OWN_METRICS, ids=lambda metric: metric.name)
def test_an_own_metric_is_named_as_prometheus_wants_it(metric) -> None:
    assert re.fullmatch(r"(kwitness|kafka_client)_[a-z_]+", metric.name)
    assert metric.name.endswith("_total") == (metric.type == "counter")
    assert metric.help.endswith((".", "error.", "success."))


def test_an_unknown_word_is_refused_by_every_registry() -> None:
    for ask in (own_metrics.own_metric, reasons.reason):
        with pytest.raises(KeyError):
            ask("Unheard")


def test_reasons_are_stable_words_of_kinds_that_exist() -> None:
    kinds = {info.kind for info in KINDS}
    for entry in reasons.REASONS:
        assert re.fullmatch("[A-Z][A-Za-z0-9]*", entry.reason)
        assert set(entry.kinds) <= kinds
        assert entry.meaning.endswith(".")
        assert (entry.status == "True") or entry.remedy.endswith(".")
    words = [(entry.condition, entry.reason) for entry in reasons.REASONS]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_every_kind_can_say_that_it_is_not_supported_yet(info) -> None:
    assert "Unsupported" in {entry.reason for entry in reasons.reasons_of(info.kind)}


def test_an_identity_has_exactly_the_identity_keys() -> None:
    assert tuple(Identity.model_fields) == IDENTITY_KEYS
    assert set(DEFAULT_LABELS) <= set(IDENTITY_KEYS)


def test_what_is_not_known_is_absent() -> None:
    identity = Identity(client_id="orders", client_source_port=4711)

    assert identity.known() == {"client_id": "orders", "client_source_port": "4711"}


def test_no_header_is_both_an_identity_key_and_something_else() -> None:
    assert len(record_headers.ALL_HEADER_NAMES) == len(set(record_headers.ALL_HEADER_NAMES))


def test_header_constants_are_in_the_registry() -> None:
    constants = {
        record_headers.SCHEMA,
        record_headers.EVENT_SOURCE,
        record_headers.EVENT_EPOCH,
        record_headers.EVENT_SEQ,
        record_headers.RECEIVED_AT_MS,
        record_headers.PUSH_INTERVAL_MS,
        record_headers.TERMINATING,
        record_headers.FILTERED,
        record_headers.CONTENT_TYPE,
        record_headers.REPORTED_BY,
    }

    assert constants == {header.name for header in record_headers.RECORD_HEADERS}


def test_topics_have_one_prefix_and_a_schema() -> None:
    assert topics.topic_name("kwitness.", topics.TELEMETRY) == "kwitness.telemetry"
    assert topics.TELEMETRY_SCHEMA == "kwitness.telemetry/1"
    assert {topic.name for topic in topics.USED_TOPICS} == {
        "telemetry",
        "connections",
        "traffic",
        "requests",
        "interceptions",
        "headers",
        "seals",
    }
    assert set(CollectorTopics.model_fields) == {topic.name for topic in topics.USED_TOPICS}


def test_headers_are_in_topics_that_exist() -> None:
    names = {topic.name for topic in topics.TOPICS}

    assert all(set(header.topics) <= names and header.topics for header in record_headers.RECORD_HEADERS)
