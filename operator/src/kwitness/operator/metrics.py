"""The operator's own metrics, after the pattern of controller-runtime's."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

__all__ = [
    "API_WRITES",
    "BROKER_WRITES",
    "DRIFT_REPAIRS",
    "RECONCILE",
    "RECONCILE_DURATION",
    "RECONCILE_ERRORS",
    "WORKQUEUE_DEPTH",
]

RECONCILE: Final = Counter("kwitness_reconcile_total", "Reconciles finished.", ["kind", "result"])
RECONCILE_ERRORS: Final = Counter("kwitness_reconcile_errors_total", "Reconciles that will be tried again.", ["kind"])
RECONCILE_DURATION: Final = Histogram(
    "kwitness_reconcile_duration_seconds", "Time of one reconcile.", ["kind"], buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 30)
)
WORKQUEUE_DEPTH: Final = Gauge("kwitness_workqueue_depth", "Keys that are due and wait for a worker.", ["kind"])
API_WRITES: Final = Counter("kwitness_api_writes_total", "Writes to the API server.", ["verb", "resource"])
BROKER_WRITES: Final = Counter("kwitness_broker_writes_total", "CLIENT_METRICS configs written.", ["operation"])
DRIFT_REPAIRS: Final = Counter("kwitness_drift_repairs_total", "Foreign changes that were put right.", ["kind"])
