"""Pushes as clients really make them, and envelopes as the plugin sends them."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, MetricsData

DELTA = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
CLUSTER = "cluster-one"
CREATION_TOTAL = "org.apache.kafka.producer.connection.creation.total"
CREATION_SERIES = "kafka_client_producer_connection_creation_total"
LATENCY_AVG = "org.apache.kafka.producer.node.request.latency.avg"
LATENCY_SERIES = "kafka_client_producer_node_request_latency_avg_seconds"


def add_number(
    data: MetricsData,
    name: str,
    value: float,
    *,
    unit: str = "",
    attributes: Mapping[str, str] | None = None,
    temporality: int | None = None,
    start_ns: int = 0,
    time_ns: int = 0,
    monotonic: bool = True,
) -> None:
    """Add a gauge, or with a temporality a sum. Without a time it is that of its start."""
    if not data.resource_metrics:
        data.resource_metrics.add().scope_metrics.add()
    metric = data.resource_metrics[0].scope_metrics[0].metrics.add()
    metric.name, metric.unit = name, unit
    if temporality is None:
        point = metric.gauge.data_points.add()
    else:
        metric.sum.aggregation_temporality = temporality
        metric.sum.is_monotonic = monotonic
        point = metric.sum.data_points.add()
    point.start_time_unix_nano = start_ns
    point.time_unix_nano = time_ns or start_ns
    if isinstance(value, int):
        point.as_int = value
    else:
        point.as_double = value
    for key, text in (attributes or {}).items():
        attribute = point.attributes.add()
        attribute.key, attribute.value.string_value = key, text


def java_push(connections: int = 1, latency_ms: float = 12.0, node: str = "1") -> bytes:
    """What kafka-clients sends: no units, doubles, deltas of doubles."""
    data = MetricsData()
    add_number(data, CREATION_TOTAL, float(connections), temporality=DELTA)
    add_number(data, LATENCY_AVG, latency_ms, attributes={"node_id": node})
    return data.SerializeToString()


def librdkafka_push(connections: int = 1, latency_ms: int = 12, node: str = "1") -> bytes:
    """What librdkafka sends: units ms and 1, integers, and integer attributes as text."""
    data = MetricsData()
    add_number(data, CREATION_TOTAL, connections, unit="1", temporality=DELTA)
    add_number(data, LATENCY_AVG, latency_ms, unit="ms", attributes={"node_id": node})
    return data.SerializeToString()


def counter_push(
    value: float, name: str = CREATION_TOTAL, temporality: int = DELTA, start_ns: int = 0, time_ns: int = 0
) -> bytes:
    """One counter."""
    data = MetricsData()
    add_number(data, name, value, temporality=temporality, start_ns=start_ns, time_ns=time_ns)
    return data.SerializeToString()


def gauge_push(name: str, value: float, unit: str = "", **attributes: str) -> bytes:
    """One gauge."""
    data = MetricsData()
    add_number(data, name, value, unit=unit, attributes=attributes)
    return data.SerializeToString()


def histogram_push(
    counts: Sequence[int], total: float, temporality: int = DELTA, bounds: Sequence[float] = (1, 5)
) -> bytes:
    """One histogram."""
    data = MetricsData()
    metric = data.resource_metrics.add().scope_metrics.add().metrics.add()
    metric.name = "app.request.duration"
    metric.unit = "s"
    metric.histogram.aggregation_temporality = temporality
    point = metric.histogram.data_points.add()
    point.explicit_bounds.extend(bounds)
    point.bucket_counts.extend(counts)
    point.sum, point.count = total, sum(counts)
    point.start_time_unix_nano = point.time_unix_nano = 1
    return data.SerializeToString()


def labelled(payload: bytes, **labels: str) -> bytes:
    """The push of a client that says so of itself, in its resource as KIP-714 has it."""
    data = MetricsData.FromString(payload)
    for key, text in labels.items():
        attribute = data.resource_metrics[0].resource.attributes.add()
        attribute.key, attribute.value.string_value = key, text
    return data.SerializeToString()


def push(seq: int, payload: bytes = b"", *, client: str = "instance-1", **identity: Any) -> dict[str, Any]:
    """One push of an envelope."""
    return {
        "seq": seq,
        "received_at_ms": 1_700_000_000_000 + seq,
        "client_instance_id": client,
        "client_id": "orders",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "principal": "User:alice",
        "client_address": "10.0.0.7",
        "client_source_port": 40_000,
        "listener": "PLAINTEXT",
        "push_interval_ms": 60_000,
        "payload": base64.b64encode(payload).decode(),
        **identity,
    }


def batch(pushes: Iterable[Mapping[str, Any]], *, epoch: int = 1, broker: str = "1", cluster: str = CLUSTER) -> Any:
    """An envelope."""
    return {
        "schema": "kwitness.pushes/1",
        "source": f"{cluster}/{broker}",
        "epoch": epoch,
        "cluster_id": cluster,
        "broker_id": broker,
        "plugin_version": "0.1.0",
        "kafka_version": "4.3.1",
        "pushes": list(pushes),
    }


_heartbeats = itertools.count(1)


def gauges(connections: Mapping[tuple[str, str], int], *, broker: str = "1", **more: Any) -> dict[str, Any]:
    """A heartbeat; keys of ``connections`` are software name and version."""
    return {
        "schema": "kwitness.gauges/1",
        "source": f"{CLUSTER}/{broker}",
        "epoch": 1,
        "seq": next(_heartbeats),
        "cluster_id": CLUSTER,
        "broker_id": broker,
        "plugin_version": "0.1.0",
        "kafka_version": "4.3.1",
        "sent_at_ms": 1_700_000_000_000,
        "connections": [
            {
                "listener": "PLAINTEXT",
                "client_software_name": name,
                "client_software_version": version,
                "connections": count,
            }
            for (name, version), count in connections.items()
        ],
        **more,
    }
