"""The metrics that Kafka clients push (KIP-714): one name, type, unit and rule of combination each."""

from __future__ import annotations

from .metric_prefix import PREFIX
from .registry_entries import ClientMetric, Role
from .tables.client_metrics import ENTRIES

__all__ = ["CLIENT_METRICS", "CRASH_PRONE_METRICS", "PREFIX", "ClientMetric", "lookup", "required_names"]

CLIENT_METRICS: tuple[ClientMetric, ...] = ENTRIES
"""All metrics of the registry, by name."""

CRASH_PRONE_METRICS: dict[Role, tuple[str, ...]] = {
    "producer": (
        "org.apache.kafka.producer.connection.creation.rate",
        "org.apache.kafka.producer.connection.creation.total",
        "org.apache.kafka.producer.node.request.latency.avg",
        "org.apache.kafka.producer.node.request.latency.max",
        "org.apache.kafka.producer.produce.throttle.time.avg",
        "org.apache.kafka.producer.produce.throttle.time.max",
        "org.apache.kafka.producer.record.queue.time.avg",
        "org.apache.kafka.producer.record.queue.time.max",
    ),
    "consumer": (
        "org.apache.kafka.consumer.connection.creation.rate",
        "org.apache.kafka.consumer.connection.creation.total",
        "org.apache.kafka.consumer.node.request.latency.avg",
        "org.apache.kafka.consumer.node.request.latency.max",
        "org.apache.kafka.consumer.coordinator.assigned.partitions",
    ),
}
"""All that librdkafka 2.5.0 to 2.5.2 knows; a prefix that matches none of a role's aborts such clients."""

_BY_NAME = {metric.name: metric for metric in ENTRIES}


def lookup(name: str) -> ClientMetric | None:
    """Return the registry's entry for a name on the wire, or None for a metric outside the registry."""
    return _BY_NAME.get(name)


def required_names(role: Role) -> tuple[str, ...]:
    """Return the names that KIP-714 as adopted demands of a producer or consumer."""
    return tuple(metric.name for metric in ENTRIES if metric.required and metric.role == role)
