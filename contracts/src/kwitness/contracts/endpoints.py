"""Ports and paths at which our processes are asked."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CLIENTS_PATH",
    "CLIENT_METRICS_PATH",
    "CLIENT_PODS_PATH",
    "CLUSTER_PATH",
    "COLLECTOR_PORT",
    "CONNECTIONS_PATH",
    "CONSOLE_PORT",
    "DIRECTIVES_PATH",
    "DRIVER_PORT",
    "DRIVER_ROWS_PATH",
    "DRIVER_STATUS_PATH",
    "EVENTS_PATH",
    "GAUGES_PATH",
    "GROUPS_PATH",
    "HEALTH_PATH",
    "INJECTOR_PORT",
    "INJECT_PATH",
    "INTERCEPTOR_DIRECTIVES_PATH",
    "MAX_QUESTION",
    "METRICS_PATH",
    "OBSERVER_SUBSCRIPTIONS_PATH",
    "OTLP_GRPC_PORT",
    "OTLP_HTTP_PORT",
    "OTLP_METRICS_PATH",
    "PROBE_PORT",
    "PUSHES_PATH",
    "READY_PATH",
    "SILENT_PATH",
    "SUBSCRIPTIONS_PATH",
    "SUBSCRIPTION_PATH",
    "TRAFFIC_PATH",
]

COLLECTOR_PORT = 8443
"""The collector's API: pushes, gauges, inventory."""
OTLP_GRPC_PORT = 4317
OTLP_HTTP_PORT = 4318
DRIVER_PORT = 8090
"""An AnalyticsJob's driver: its status, and rows of its table."""
INJECTOR_PORT = 9443
"""The injector's webhook."""
CONSOLE_PORT = 8443
"""The console's pages."""
PROBE_PORT = 8080
"""Metrics and probes of operator, collector, injector and console."""

MAX_QUESTION: Final = 100 * 1024
"""Bytes of a question's path and parameters: a name has up to 32,767, of which each may be written as three."""

PUSHES_PATH = "/v1/pushes"
GAUGES_PATH = "/v1/gauges"
EVENTS_PATH = "/v1/events"
DIRECTIVES_PATH = "/v1/observers/{namespace}/{name}/directives"
OBSERVER_SUBSCRIPTIONS_PATH = "/v1/observers/{namespace}/{name}/subscriptions"
INTERCEPTOR_DIRECTIVES_PATH = "/v1/interceptors/{namespace}/{name}/directives"
CLIENTS_PATH = "/v1/clients"
CLIENT_METRICS_PATH = "/v1/clients/{client_instance_id}/metrics"
CLIENT_PODS_PATH = "/v1/client-pods"
CONNECTIONS_PATH = "/v1/connections"
TRAFFIC_PATH = "/v1/traffic"
GROUPS_PATH = "/v1/groups"
SUBSCRIPTIONS_PATH = "/v1/subscriptions"
SUBSCRIPTION_PATH = "/v1/subscriptions/{id}"
SILENT_PATH = "/v1/silent"
CLUSTER_PATH = "/v1/clusters/{cluster_id}"
OTLP_METRICS_PATH = "/v1/metrics"
"""As OTLP over HTTP has it."""
DRIVER_STATUS_PATH = "/status"
DRIVER_ROWS_PATH = "/rows"
INJECT_PATH = "/inject/pods"
HEALTH_PATH = "/healthz"
READY_PATH = "/readyz"
METRICS_PATH = "/metrics"
