"""Names of Kafka's metrics in plain OTLP: what rules and dashboards read has one, as the libraries export it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kwitness.contracts import client_metrics
from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.otlp_names import NOT_BY_THE_AGENT, agent_name, attribute_name, is_of_client, pushed_name

CHART = Path(__file__).resolve().parents[2] / "charts/kwitness"
BY_PROMETHEUS = {metric.prometheus_name: metric for metric in CLIENT_METRICS}
COUNTERS = [
    "producer.connection_creation_total",
    "producer.record_error_total",
    "producer.record_retry_total",
    "producer.record_send_total",
    "consumer.connection_creation_total",
    "consumer.rebalance_total",
    "consumer.rebalance_latency_total",
]
GAUGES = [
    "producer.connection_creation_rate",
    "producer.request_latency_avg",
    "producer.request_latency_max",
    "producer.produce_throttle_time_avg",
    "producer.produce_throttle_time_max",
    "producer.record_queue_time_avg",
    "producer.record_queue_time_max",
    "producer.buffer_available_bytes",
    "producer.buffer_total_bytes",
    "consumer.connection_creation_rate",
    "consumer.request_latency_avg",
    "consumer.request_latency_max",
    "consumer.poll_idle_ratio_avg",
    "consumer.time_between_poll_avg",
    "consumer.commit_latency_avg",
    "consumer.commit_latency_max",
    "consumer.assigned_partitions",
    "consumer.rebalance_latency_avg",
    "consumer.rebalance_latency_max",
    "consumer.fetch_latency_avg",
    "consumer.fetch_latency_max",
    "consumer.fetch_throttle_time_max",
    "consumer.records_lag_max",
]
"""Names and instruments that the Java agent documents, of all that is read or that KIP-714 requires."""


def names_read() -> set[str]:
    """Names of pushed metrics in rules and dashboards."""
    text = " ".join(path.read_text() for path in (*CHART.glob("rules/*.yaml"), *CHART.glob("dashboards/*.json")))
    return {BY_PROMETHEUS[name].name for name in re.findall(r"kafka_client_[a-z_]+", text) if name in BY_PROMETHEUS}


def test_the_agent_exports_each_metric_that_rules_and_dashboards_read_or_a_reason_stands_why_not() -> None:
    read = names_read() | {metric.name for metric in CLIENT_METRICS if metric.required}
    documented = {f"kafka.{name}" for name in (*COUNTERS, *GAUGES)}

    exported = {name: agent_name(entry) for name in read if (entry := client_metrics.lookup(name)) is not None}
    without = {name for name, by_agent in exported.items() if by_agent is None}

    assert len(read) > 25
    assert set(exported.values()) - {None} == documented
    for name in without:
        entry = client_metrics.lookup(name)
        assert entry is not None
        assert entry.role in NOT_BY_THE_AGENT, name
    for name in set(exported) - without:
        attributes = ("client-id", "node-id") if ".node." in name else ("client-id",)
        assert pushed_name(exported[name] or "", attributes) == name


@pytest.mark.parametrize(("names", "kind"), [(COUNTERS, "counter"), (GAUGES, "gauge")])
def test_what_the_agent_exports_is_of_the_kind_that_clients_push(names: list[str], kind: str) -> None:
    for name in names:
        pushed = client_metrics.lookup(pushed_name(f"kafka.{name}", ("client-id",)) or "") or client_metrics.lookup(
            pushed_name(f"kafka.{name}", ("client-id", "node-id")) or ""
        )
        assert pushed is not None, name
        assert pushed.type == kind, name


@pytest.mark.parametrize(
    ("name", "attributes", "pushed"),
    [
        (
            "kafka.consumer.records_lag_max",
            ["client-id", "topic", "partition"],
            "consumer.fetch.manager.records.lag.max",
        ),
        ("kafka.producer.request_latency_avg", ["client-id"], "producer.request.latency.avg"),
        ("kafka.producer.request_latency_avg", ["client-id", "node-id"], "producer.node.request.latency.avg"),
        ("kafka.producer.record_error_total", ["client-id", "topic"], "producer.record.error.total"),
        ("kafka.producer.byte_total", ["client-id", "topic"], "producer.topic.byte.total"),
        ("kafka.consumer.fetch.manager.records.lag.max", ["client.id"], "consumer.fetch.manager.records.lag.max"),
        ("kafka.producer.topic.record.error.total", ["client.id"], "producer.topic.record.error.total"),
        ("kafka.producer.node.request.latency.avg", ["client.id", "node.id"], "producer.node.request.latency.avg"),
        ("kafka.admin.client.connection.creation.total", ["client.id"], "admin.client.connection.creation.total"),
    ],
)
def test_a_name_and_the_attributes_of_a_point_decide_what_clients_push_it_as(
    name: str, attributes: list[str], pushed: str
) -> None:
    assert is_of_client(name)
    assert pushed_name(name, attributes) == f"org.apache.kafka.{pushed}"


@pytest.mark.parametrize("name", ["kafka.consumer.iotime_total", "kafka.consumer.", "kafka.producer.metadata"])
def test_what_clients_do_not_push_keeps_its_name(name: str) -> None:
    assert pushed_name(name, ("client-id",)) is None


@pytest.mark.parametrize("name", ["kafka.consumer_group.lag", "kafka.request.count", "kafka", "", "jvm.memory.used"])
def test_metrics_of_brokers_groups_and_programs_are_of_no_client(name: str) -> None:
    assert not is_of_client(name)


def test_a_broker_is_named_as_clients_push_it() -> None:
    assert [attribute_name(key) for key in ("node-id", "node.id", "topic", "partition")] == [
        "node_id",
        "node_id",
        "topic",
        "partition",
    ]
