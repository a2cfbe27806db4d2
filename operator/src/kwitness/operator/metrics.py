"""The operator's own metrics, after the pattern of controller-runtime's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from prometheus_client import Counter, Gauge, Histogram, Metric
from prometheus_client.core import GaugeMetricFamily

from kwitness.operator.store import Store

__all__ = [
    "API_WRITES",
    "BROKER_WRITES",
    "BUILD_INFO",
    "DRIFT_REPAIRS",
    "RECONCILE",
    "RECONCILE_DURATION",
    "RECONCILE_ERRORS",
    "WATCH_SUCCESS",
    "WORKQUEUE_DEPTH",
    "ReadyGauge",
]

RECONCILE: Final = Counter("kwitness_reconcile_total", "Reconciles finished.", ["kind", "result"])
RECONCILE_ERRORS: Final = Counter("kwitness_reconcile_errors_total", "Reconciles that will be tried again.", ["kind"])
RECONCILE_DURATION: Final = Histogram(
    "kwitness_reconcile_duration_seconds", "Time of one reconcile.", ["kind"], buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 30)
)
WORKQUEUE_DEPTH: Final = Gauge("kwitness_workqueue_depth", "Keys that are due and wait for a worker.", ["kind"])
API_WRITES: Final = Counter("kwitness_api_writes_total", "Writes to the API server.", ["verb", "resource"])
BROKER_WRITES: Final = Counter("kwitness_broker_writes_total", "CLIENT_METRICS configs written.", ["operation"])
BUILD_INFO: Final = Gauge("kwitness_build_info", "Always 1; the version is in the label.", ["component", "version"])
WATCH_SUCCESS: Final = Gauge(
    "kwitness_watch_last_success_seconds", "When a watch last connected or listed, in seconds since 1970.", ["resource"]
)
DRIFT_REPAIRS: Final = Counter("kwitness_drift_repairs_total", "Foreign changes that were put right.", ["kind"])


class ReadyGauge:
    """``kwitness_resource_ready``, read from the store when it is asked for, so that deleted resources leave no series.

    Satisfies prometheus_client's collector protocol.
    """

    def __init__(self, store: Store, kinds: Sequence[str]) -> None:
        self._store = store
        self._kinds = kinds

    def collect(self) -> Iterable[Metric]:
        """Yield one gauge with a sample per resource that has a Ready condition."""
        gauge = GaugeMetricFamily(
            "kwitness_resource_ready",
            "Whether a resource is ready (1) or not (0).",
            labels=["kind", "namespace", "name", "reason"],
        )
        for kind in self._kinds:
            for key, body in self._store.items(kind):
                for condition in (body.get("status") or {}).get("conditions", ()):
                    if condition["type"] == "Ready":
                        labels = [kind, key.namespace, key.name, condition["reason"]]
                        gauge.add_metric(labels, float(condition["status"] == "True"))
        yield gauge
