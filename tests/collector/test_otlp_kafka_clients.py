"""Kafka's metrics by plain OTLP: each client of a program is one of its own, with the names that rules read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.failures import BodyTooLargeError
from kwitness.collector.otlp.bounds import MAX_REPEATED, MAX_RESOURCES
from kwitness.collector.otlp.requests import Numbering, to_events

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CUMULATIVE, DELTA, add_number
from tests.collector.otlp_requests import post

Start = Callable[..., CollectorProcess]


def program(name: str, instance: str = "", **resource: str) -> MetricsData:
    """A program's export, without points."""
    data = MetricsData()
    data.resource_metrics.add().scope_metrics.add().scope.name = "io.opentelemetry.kafka-clients-0.11"
    for key, text in {"service.name": name, "service.instance.id": instance, **resource}.items():
        if text:
            data.resource_metrics[0].resource.attributes.add(key=key).value.string_value = text
    return data


def total(
    data: MetricsData, name: str, value: float, attributes: Mapping[str, str], temporality: int = CUMULATIVE
) -> None:
    """A counter as an SDK has it: cumulative, of doubles."""
    started = time.time_ns()
    add_number(data, name, value, attributes=attributes, temporality=temporality, start_ns=started, time_ns=started + 1)


def sent(collector: CollectorProcess, data: MetricsData) -> ExportMetricsServiceResponse:
    answer = post(collector, data.SerializeToString())
    assert answer.status == 200, answer.body
    return ExportMetricsServiceResponse.FromString(answer.body or b"")


def test_metrics_of_the_java_agent_have_the_names_and_units_that_rules_read(shared: CollectorProcess) -> None:
    data = program("shop", "program-1")
    total(data, "kafka.producer.record_error_total", 3.0, {"client-id": "orders", "topic": "a"})
    total(data, "kafka.producer.record_error_total", 4.0, {"client-id": "orders", "topic": "b"})
    total(data, "kafka.consumer.rebalance_latency_total", 1500.0, {"client-id": "reader"})
    add_number(
        data,
        "kafka.consumer.records_lag_max",
        7.0,
        attributes={"client-id": "reader", "topic": "a", "partition": "0"},
    )
    add_number(
        data, "kafka.producer.request_latency_avg", 250.0, attributes={"client-id": "orders", "node-id": "node-1"}
    )
    add_number(data, "jvm.thread.count", 9.0)

    assert sent(shared, data) == ExportMetricsServiceResponse()

    assert shared.value("kafka_client_producer_record_error_total", client_id="orders", topic="a") == 3
    assert shared.value("kafka_client_producer_record_error_total", client_id="orders", topic="b") == 4
    assert shared.value("kafka_client_consumer_coordinator_rebalance_latency_seconds_total", client_id="reader") == 1.5
    lag = {"client_id": "reader", "topic": "a", "partition": "0"}
    assert shared.value("kafka_client_consumer_fetch_manager_records_lag_max", **lag) == 7
    latency = "kafka_client_producer_node_request_latency_avg_seconds"
    assert shared.value(latency, client_id="orders", node_id="node-1") == 0.25
    assert shared.value("jvm_thread_count", client_id="shop") == 9
    page = shared.scrape()
    labels = [dict(found) for name in page for found in page[name] if ("client_id", "orders") in found]
    assert labels
    assert not {"exported_client_id", "exported_node_id"} & {key for found in labels for key in found}
    assert not [name for name in page if name.startswith("kafka_producer_record_error")]


def test_clients_of_a_program_are_counted_and_listed_as_clients(start: Start) -> None:
    collector = start()
    data = program("shop", "program-1")
    for client, value in (("reader-1", 1.0), ("reader-2", 100.0)):
        total(data, "kafka.consumer.rebalance_total", value, {"client-id": client})
        total(data, "kafka.consumer.own_unknown_total", value, {"client-id": client})
    for _ in range(2):
        sent(collector, data)

    items = collector.get("/v1/clients").body["items"]
    assert sorted(item["client_id"] for item in items) == ["reader-1", "reader-2"]
    assert len({item["client_instance_id"] for item in items}) == 2
    assert all(item["client_instance_id"].startswith("program-1/") for item in items)
    assert collector.value("kafka_client_consumer_coordinator_rebalance_total", client_id="reader-1") == 1
    assert collector.value("kafka_client_consumer_coordinator_rebalance_total", client_id="reader-2") == 100
    assert collector.value("kwitness_client_instances", client_id="reader-2") == 1
    # Unknown to KIP-714: a name of its own, and the client's all the same.
    assert collector.value("kafka_consumer_own_unknown_total", client_id="reader-2") == 100


def test_equal_increments_of_two_clients_count_twice_and_an_export_that_comes_again_does_not(start: Start) -> None:
    collector = start()
    data = program("shop", "program-1")
    for client in ("one", "two"):
        total(data, "kafka.producer.record_send_total", 5.0, {"client-id": client}, DELTA)
    for _ in range(2):
        sent(collector, data)

    assert collector.value("kafka_client_producer_record_send_total", client_id="one") == 5
    assert collector.value("kafka_client_producer_record_send_total", client_id="two") == 5


def test_metrics_of_micrometer_are_those_that_clients_push(shared: CollectorProcess) -> None:
    data = program("bookings")
    tags = {"client.id": "micrometer-1", "kafka.version": "4.1.0"}
    total(data, "kafka.producer.record.retry.total", 6.0, tags)
    add_number(data, "kafka.producer.node.request.latency.max", 30.0, attributes={**tags, "node.id": "node-2"})

    sent(shared, data)

    assert shared.value("kafka_client_producer_record_retry_total", client_id="micrometer-1") == 6
    latency = "kafka_client_producer_node_request_latency_max_seconds"
    assert shared.value(latency, client_id="micrometer-1", node_id="node-2", kafka_version="4.1.0") == 0.03


def test_points_without_a_client_id_stay_with_the_program_under_the_pushed_name(shared: CollectorProcess) -> None:
    data = program("payments", "program-7")
    add_number(data, "kafka.consumer.poll_idle_ratio_avg", 0.25)
    add_number(data, "kafka.consumer.time_between_poll_avg", 500.0, attributes={"client-id": ""})

    sent(shared, data)

    assert shared.value("kafka_client_consumer_poll_idle_ratio_avg", client_id="payments") == 0.25
    assert shared.value("kafka_client_consumer_time_between_poll_avg_seconds", client_id="payments") == 0.5


def test_a_client_id_in_the_resource_is_kept(shared: CollectorProcess) -> None:
    data = program("refunds", "program-8", **{"messaging.client.id": "named-by-hand"})
    add_number(data, "kafka.consumer.assigned_partitions", 4.0, attributes={"client-id": "consumer-1"})

    sent(shared, data)

    assert shared.value("kafka_client_consumer_coordinator_assigned_partitions", client_id="named-by-hand") == 4


@pytest.mark.parametrize("client", ['é\n"\\\t{}', "\u202eabc", "x" * 32_767, "a/b%2Fc", " "])
def test_a_client_id_of_any_text_is_a_client(client: str) -> None:
    data = program("odd", "program-9")
    total(data, "kafka.producer.record_send_total", 1.0, {"client-id": client})
    total(data, "kafka.producer.record_send_total", 2.0, {"client-id": f"{client[:-1]}!"})

    events = events_of(data)

    assert [event.identity["client_id"] for event in events] == [client, f"{client[:-1]}!"]
    assert len({event.client for event in events}) == 2
    assert len({event.identity["client_instance_id"] for event in events}) == 2


def events_of(data: MetricsData) -> tuple[Any, ...]:
    request = ExportMetricsServiceRequest.FromString(data.SerializeToString())
    return to_events(request, Numbering(0, 1), 1, None, "caller").events


def test_exemplars_flags_and_kinds_of_points_stay() -> None:
    data = program("kept", "program-10")
    total(data, "kafka.producer.record_send_total", 1.0, {"client-id": "orders", "topic": "a"})
    metric = data.resource_metrics[0].scope_metrics[0].metrics[0]
    metric.unit = "{record}"
    point = metric.sum.data_points[0]
    point.flags = 1
    point.exemplars.add().as_double = 2.0

    [event] = events_of(data)

    [resource] = MetricsData.FromString(event.payload).resource_metrics
    assert resource.scope_metrics[0].scope.name == "io.opentelemetry.kafka-clients-0.11"
    [kept] = resource.scope_metrics[0].metrics
    assert (kept.name, kept.unit) == ("org.apache.kafka.producer.record.send.total", "{record}")
    assert (kept.sum.aggregation_temporality, kept.sum.is_monotonic) == (CUMULATIVE, True)
    [own] = kept.sum.data_points
    assert [attribute.key for attribute in own.attributes] == ["topic"]
    del point.attributes[0]
    assert own == point


def test_an_export_of_too_many_clients_is_refused() -> None:
    data = program("crowd")
    metric = data.resource_metrics[0].scope_metrics[0].metrics.add(name="kafka.producer.record_send_total")
    for number in range(MAX_RESOURCES + 1):
        metric.gauge.data_points.add(as_int=1).attributes.add(key="client-id").value.string_value = str(number)

    with pytest.raises(BodyTooLargeError, match="of more than 10000 Kafka clients; send smaller batches"):
        events_of(data)

    del metric.gauge.data_points[MAX_RESOURCES:]
    assert len(events_of(data)) == MAX_RESOURCES


def test_attributes_of_a_resource_are_not_repeated_beyond_their_bound() -> None:
    data = program("large", text="x" * (MAX_REPEATED // 100))
    metric = data.resource_metrics[0].scope_metrics[0].metrics.add(name="kafka.producer.record_send_total")
    for number in range(100):
        metric.gauge.data_points.add(as_int=1).attributes.add(key="client-id").value.string_value = str(number)

    with pytest.raises(BodyTooLargeError, match="send fewer resource attributes, or smaller batches"):
        events_of(data)

    del metric.gauge.data_points[90:]
    assert len(events_of(data)) == 90
