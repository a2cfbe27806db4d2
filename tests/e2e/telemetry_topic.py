"""What clients pushed, as the telemetry topic holds it: what the exposed counters must add up to."""

from __future__ import annotations

from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_DELTA, MetricsData

from kwitness.demo.toolbox import Toolbox

from tests.e2e import topic_records

TOPIC = "kwitness.telemetry"


def summed(toolbox: Toolbox, client_id: str, metric: str, since_ms: int = 0) -> float:
    """The sum of a client's deltas of one metric since a time; a push that is in the topic twice counts once."""
    pushes = topic_records.of_clients(toolbox, TOPIC, client_id, since_ms=since_ms)
    return sum(_delta(push.value, metric) for push in pushes)


def _delta(payload: bytes, metric: str) -> float:
    total = 0.0
    for resource in MetricsData.FromString(payload).resource_metrics:
        for scope in resource.scope_metrics:
            for one in scope.metrics:
                if one.name == metric:
                    assert one.sum.aggregation_temporality == AGGREGATION_TEMPORALITY_DELTA, metric
                    total += sum(point.as_double or point.as_int for point in one.sum.data_points)
    return total
