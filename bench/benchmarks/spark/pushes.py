"""Pushes of clients (KIP-714), as they lie in the topic of telemetry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    Gauge,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
)

from kwitness.cli.fleet import FleetRecord
from kwitness.contracts.client_metrics import CLIENT_METRICS

__all__ = ["METRICS", "START_MS", "headers", "kinds_of_pushes", "payload", "pushes"]

METRICS = 30
"""Metrics of a push."""
START_MS = 1_790_000_000_000


def kinds_of_pushes() -> dict[int, list[str]]:
    """The names of the metrics that three kinds of clients send."""
    names = [metric.name for metric in CLIENT_METRICS][: 3 * METRICS]
    return {kind: (names[kind * 7 :] + names)[:METRICS] for kind in range(3)}


def payload(names: Sequence[str]) -> bytes:
    """A push with one data point for each name."""
    point = NumberDataPoint(time_unix_nano=START_MS * 1_000_000, as_double=1.5)
    metrics = [Metric(name=name, gauge=Gauge(data_points=[point])) for name in names]
    data = MetricsData(resource_metrics=[ResourceMetrics(scope_metrics=[ScopeMetrics(metrics=metrics)])])
    return bytes(data.SerializeToString())


def headers(client: int, number: int, at_ms: int) -> list[tuple[str, bytes]]:
    """The headers of the push of a client as the collector writes them; it is the collector's record of that number."""
    texts = {
        "schema": "kwitness.telemetry/1",
        "event_source": "c/1",
        "event_epoch": "1",
        "event_seq": str(number),
        "cluster_id": "c",
        "broker_id": "1",
        "client_instance_id": f"instance-{client}",
        "client_id": f"app-{client}",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "client_address": "10.0.0.1",
        "client_source_port": "12345",
        "listener": "PLAINTEXT",
        "principal": "User:app",
        "received_at_ms": str(at_ms),
        "push_interval_ms": "60000",
        "terminating": "false",
    }
    return [(key, value.encode()) for key, value in texts.items()]


def pushes(clients: int, minutes: int) -> Iterator[FleetRecord]:
    """A push of each client in each minute."""
    payloads = [payload(names) for names in kinds_of_pushes().values()]
    for minute in range(minutes):
        for client in range(clients):
            at_ms = START_MS + minute * 60_000 + client * 60_000 // clients
            named = headers(client, minute * clients + client, at_ms)
            yield FleetRecord("telemetry", b"k", payloads[client % len(payloads)], tuple(named), at_ms, "")
