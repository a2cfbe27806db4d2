"""Names and attributes that Kafka's own metrics have in plain OTLP, and what clients push the same as (KIP-714).

Two libraries read a Java client's metrics and export them. Neither names a unit; values and kinds are Kafka's own, as
in pushes. Of what Kafka measures as a whole and by topic or broker as well, the agent exports the parts alone.
Sources: ``KafkaMetricRegistry`` of opentelemetry-java-instrumentation (``kafka.consumer.records_lag_max``), which is in
the Java agent; ``KafkaMetrics`` of Micrometer (``kafka.consumer.fetch.manager.records.lag.max``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from .client_metrics import CLIENT_METRICS
from .registry_entries import ClientMetric, Role

__all__ = [
    "CLIENT_ID_ATTRIBUTES",
    "NOT_BY_THE_AGENT",
    "agent_name",
    "attribute_name",
    "is_of_client",
    "pushed_name",
]

CLIENT_ID_ATTRIBUTES: Final = ("client-id", "client.id")
"""Attributes of a point that hold the id of the client that measured it; a program may have many clients."""
NOT_BY_THE_AGENT: Final[Mapping[Role, str]] = MappingProxyType(
    {
        "admin": "The agent reads metrics of producers and consumers alone.",
        "share consumer": "The agent reads KafkaConsumer's metrics; a share consumer's have the same names.",
        "streams": "The agent reads metrics of producers and consumers alone.",
    }
)
"""Why clients of a role have no names of the agent."""
_APACHE: Final = "org.apache."
_PREFIXES: Final = ("kafka.producer.", "kafka.consumer.", "kafka.admin.client.", "kafka.stream.")
_NODE: Final = "node."
_TOPIC: Final = "topic."
_GROUPS: Final = (_NODE, _TOPIC, "coordinator.", "fetch.manager.")
"""Groups of metrics, which are a part of pushed names and none of the agent's."""
_PUSHED_ATTRIBUTES: Final = MappingProxyType({"node-id": "node_id", "node.id": "node_id"})
"""Attributes of brokers by those that clients push."""


def agent_name(metric: ClientMetric) -> str | None:
    """Return the name that the Java agent gives to a metric; None where it does not read it."""
    if metric.role is None or metric.role in NOT_BY_THE_AGENT:
        return None
    prefix = f"{_APACHE}kafka.{metric.role}."
    group = _group(metric)
    return f"kafka.{metric.role}.{metric.name.removeprefix(prefix).removeprefix(group).replace('.', '_')}"


def is_of_client(name: str) -> bool:
    """Return true for the name of a metric that a Kafka client measured, as either library has it."""
    return name.startswith(_PREFIXES)


def pushed_name(name: str, attributes: Collection[str]) -> str | None:
    """Return what clients push a metric as, by its name and the keys of a point; None where they push none such."""
    by_broker = not _PUSHED_ATTRIBUTES.keys().isdisjoint(attributes)
    return _BY_BROKER.get(name) if by_broker and name in _BY_BROKER else _PUSHED.get(name)


def attribute_name(key: str) -> str:
    """Return the key under which clients push an attribute of a point."""
    return _PUSHED_ATTRIBUTES.get(key, key)


def _group(metric: ClientMetric) -> str:
    rest = metric.name.removeprefix(f"{_APACHE}kafka.{metric.role}.")
    return next((group for group in _GROUPS if rest.startswith(group)), "")


def _named(*, by_broker: bool) -> Iterator[tuple[str, str]]:
    """Yield the agent's names, those of a topic first: what is pushed of the whole client is what alerts read."""
    entries = [(metric, name) for metric in CLIENT_METRICS if (name := agent_name(metric)) is not None]
    for metric, name in sorted(entries, key=lambda entry: _group(entry[0]) != _TOPIC):
        if (_group(metric) == _NODE) == by_broker:
            yield name, metric.name


_BY_BROKER: Final[Mapping[str, str]] = MappingProxyType(dict(_named(by_broker=True)))
_PUSHED: Final[Mapping[str, str]] = MappingProxyType(
    {metric.name.removeprefix(_APACHE): metric.name for metric in CLIENT_METRICS} | dict(_named(by_broker=False))
)
