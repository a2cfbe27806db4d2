"""Generated from contracts/registry/topics.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import Topic

ENTRIES: tuple[Topic, ...] = (
    Topic(name="connections", key="cluster id and broker id of a snapshot, that of an event is chosen by the observer", value="JSON", schema="kwitness.connections", version=1, status="used", writer="collector, observers", brought_by="an ObserverDeployment with an observer of type Connections, or the plugin of the brokers and a TelemetryCollector", help="Connections opened, authenticated and closed (observers); snapshots of the brokers' gauges by software (plugin)."),
    Topic(name="telemetry", key="client instance id", value="OTLP", schema="kwitness.telemetry", version=1, status="used", writer="collector", brought_by="a ClientMetricsSubscription, the plugin of the brokers and a TelemetryCollector", help="The OTLP bytes as the broker passed them on; identity in record headers."),
    Topic(name="traffic", key="chosen by the observer", value="JSON", schema="kwitness.traffic", version=1, status="used", writer="observers", brought_by="an ObserverDeployment with an observer of type Traffic", help="What passed within a window: one row per api, client, topic and partition, one per api, version and client, one per client and topic asked for."),
    Topic(name="requests", key="connection id", value="JSON", schema="kwitness.requests", version=1, status="used", writer="observers", brought_by="an ObserverDeployment with an observer of type Requests", help="Requests and answers, one by one in the order of their connection, where an observer reports Requests."),
    Topic(name="interceptions", key="instance", value="JSON", schema="kwitness.interceptions", version=1, status="used", writer="interceptors", brought_by="an InterceptorProfile with an interceptor such as Audit", help="What applications' own interceptors counted within a window: one row per client and topic, one per client and topic about its keys, one per client."),
    Topic(name="headers", key="instance of an interceptor, that of an observer's row is chosen by the observer", value="JSON", schema="kwitness.headers", version=1, status="used", writer="interceptors, observers", brought_by="an InterceptorProfile with an interceptor of type Headers, or an ObserverDeployment with an observer of that type", help="Keys of record headers (KIP-82) within a window: one row per client, topic and key, with what was wrong with them."),
    Topic(name="seals", key="source id", value="JSON", schema="kwitness.seals", version=1, status="used", writer="observers, interceptors", brought_by="an ObserverDeployment or an InterceptorProfile that reports to a TelemetryCollector", help="Window seals for the ledger: which numbers a source gave, and what it dropped."),
)
