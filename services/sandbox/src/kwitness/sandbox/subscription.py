"""Subscribes to the metrics of a broker's clients, with the one library for Python that knows these configs."""

from __future__ import annotations

from collections.abc import Mapping

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType

from kwitness.sandbox.raw_requests import GET_TELEMETRY_SUBSCRIPTIONS, exchange_once, header
from kwitness.sandbox.waiting import wait_until

__all__ = ["subscribe"]


def subscribe(bootstrap: str, name: str, *, metrics: str = "org.apache.kafka.", interval_ms: int = 1000) -> None:
    """Make all clients of a broker that offers telemetry push some metrics; returns once the broker asks for any.

    A client that comes before the broker has read its new config is told to ask again after five minutes, and the
    identity it was given is refused.

    Raises
    ------
    RuntimeError
        The broker refused.
    WaitFailedError
        It does not ask for any metric.
    OSError
        The broker cannot be reached or hung up.
    """
    _write_config(bootstrap, name, {"metrics": metrics, "interval.ms": str(interval_ms)})
    wait_until(lambda: _asks(bootstrap), what=f"{bootstrap} to ask for metrics as in its config {name}", every=0.1)


def _asks(bootstrap: str) -> bool:
    """Return whether a new client instance is asked for any metric (GetTelemetrySubscriptions, version 0)."""
    # No tags, an instance id of zeros, no tags.
    answer = exchange_once(bootstrap, header(GET_TELEMETRY_SUBSCRIPTIONS, 0) + b"\0" + bytes(16) + b"\0")
    # Correlation id, tags, throttle time, error code, instance id, subscription id; then as many compressions as the
    # next byte says less one, the interval, the largest size, delta or not, and one more than there are metrics.
    compressions = answer[31] - 1
    return answer[41 + compressions] > 1


def _write_config(bootstrap: str, name: str, configs: Mapping[str, str]) -> None:
    admin = KafkaAdminClient(bootstrap_servers=bootstrap, client_id="kwitness-sandbox")
    try:
        resource = ConfigResource(ConfigResourceType.CLIENT_METRICS, name, dict(configs))
        # The library's own check knows broker configs only.
        result = admin.alter_configs([resource], raise_on_unknown=False)
    finally:
        admin.close()
    if result != {"client_metrics": {name: "OK"}}:
        raise RuntimeError(f"the broker refused {configs} for {name}: {result}")
