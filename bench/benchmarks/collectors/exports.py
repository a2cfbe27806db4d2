"""OTLP requests with what Kafka clients push, and how they are sent: the same to both collectors."""

from __future__ import annotations

import contextlib
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import grpc
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality, ScopeMetrics

from kwitness.contracts.client_metrics import CLIENT_METRICS

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.collector.collector_process import OTLP

RESOURCES, METRICS = 20, 30
UNDER_WAY = 4
EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
_TIME_NS = 1_700_000_000_000_000_000
_TIME = struct.pack("<Q", _TIME_NS)


class Receiver(Protocol):
    """Something that takes OTLP over gRPC."""

    name: str
    pid: int
    grpc_port: int


def exports(clients: int, metrics: int = METRICS, value: int = 0) -> list[bytes]:
    """Requests that cover all clients once, `RESOURCES` in each; ``value`` changes the values."""
    made: list[bytes] = []
    for first in range(0, clients, RESOURCES):
        request = ExportMetricsServiceRequest()
        for number in range(first, first + RESOURCES):
            resource = request.resource_metrics.add()
            for key, text in {
                "service.name": f"application-{number % 50}",
                "service.instance.id": f"instance-{number}",
                "client_software_name": "apache-kafka-java",
                "client_software_version": "4.3.1",
            }.items():
                attribute = resource.resource.attributes.add()
                attribute.key, attribute.value.string_value = key, text
            add_metrics(resource.scope_metrics.add(), metrics, number + value)
        made.append(request.SerializeToString())
    return made


def add_metrics(scope: ScopeMetrics, metrics: int, number: int) -> None:
    """Add the first so many metrics of a Java client: deltas and gauges, with values that hang on ``number``."""
    for entry in [one for one in CLIENT_METRICS if "java" in one.senders][:metrics]:
        metric = scope.metrics.add()
        metric.name = entry.name
        if entry.type == "counter":
            metric.sum.is_monotonic = True
            metric.sum.aggregation_temporality = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
            point = metric.sum.data_points.add()
        else:
            point = metric.gauge.data_points.add()
        point.time_unix_nano = _TIME_NS
        point.start_time_unix_nano = 1_600_000_000_000_000_000
        point.as_double = float(number % 97)
        attribute = point.attributes.add()
        attribute.key, attribute.value.string_value = "node_id", "1"


def dated(body: bytes) -> bytes:
    """The request as of now: one that comes again with its times is recognised by ours, and costs it less."""
    return body.replace(_TIME, struct.pack("<Q", time.time_ns()))


@contextlib.contextmanager
def sending(receiver: Receiver) -> Iterator[Any]:
    """Sends a request; returns a future."""
    metadata = [("authorization", f"Bearer {OTLP}")]
    with grpc.insecure_channel(f"127.0.0.1:{receiver.grpc_port}") as channel:
        export = channel.unary_unary(EXPORT)
        yield lambda body: export.future(dated(body), metadata=metadata, timeout=30)


def load(receiver: Receiver, bodies: Sequence[tuple[bytes, int]], seconds: float, under_way: int = UNDER_WAY) -> int:
    """Send with some requests under way for some seconds; returns the sum of what the taken ones count for."""
    taken = 0
    with sending(receiver) as send:
        waiting: list[Any] = []
        deadline = time.monotonic() + seconds
        number = 0
        while time.monotonic() < deadline:
            body, count = bodies[number % len(bodies)]
            waiting.append((send(body), count))
            number += 1
            if len(waiting) >= under_way:
                first, count = waiting.pop(0)
                first.result()
                taken += count
        for one, count in waiting:
            one.result()
            taken += count
    return taken
