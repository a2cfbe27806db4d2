"""Makes requests of plain OTLP and posts them to a collector."""

from __future__ import annotations

from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.collector_samples import CUMULATIVE, add_number

PROTOBUF = {"Content-Type": "application/x-protobuf"}


def request(name: str, value: int, cluster: str | None = None, **resource: str) -> ExportMetricsServiceRequest:
    data = MetricsData()
    add_number(data, name, value, temporality=CUMULATIVE, start_ns=1)
    attributes = {"service.name": "checkout", "service.instance.id": name, **resource}
    if cluster:
        attributes["cluster_id"] = cluster
    for key, text in attributes.items():
        attribute = data.resource_metrics[0].resource.attributes.add()
        attribute.key, attribute.value.string_value = key, text
    return ExportMetricsServiceRequest.FromString(data.SerializeToString())


def post(collector: CollectorProcess, body: bytes, token: str = OTLP, **headers: str) -> Any:
    sent = {**PROTOBUF, **{key.replace("_", "-"): text for key, text in headers.items()}}
    return collector.post("/v1/metrics", body, token=token, headers=sent, port=collector.otlp_http_port)
