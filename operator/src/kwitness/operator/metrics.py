"""The operator's own metrics, after the pattern of controller-runtime's; meaning and labels are in the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from prometheus_client import Counter, Gauge, Histogram, Metric, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.rate_card import MICRO_UNITS
from kwitness.operator.model.moments import milliseconds_of
from kwitness.operator.model.store import Store

__all__ = [
    "API_WRITES",
    "BROKER_WRITES",
    "BUILD_INFO",
    "CHILDREN_WATCHED",
    "DRIFT_REPAIRS",
    "LEADER",
    "RECONCILE",
    "RECONCILE_DURATION",
    "RECONCILE_ERRORS",
    "RECONCILE_SINCE",
    "WATCH_SUCCESS",
    "WORKQUEUE_DEPTH",
    "ConditionGauges",
    "JobCosts",
    "JobNumbers",
    "OutdatedClients",
]

# A series with the time of each series' birth would double them, and nobody asks for it.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no type for it


def _counter(name: str) -> Counter:
    entry = own_metric(name)
    return Counter(name, entry.help, entry.labels)


def _gauge(name: str) -> Gauge:
    entry = own_metric(name)
    return Gauge(name, entry.help, entry.labels)


def _histogram(name: str, buckets: Sequence[float]) -> Histogram:
    entry = own_metric(name)
    return Histogram(name, entry.help, entry.labels, buckets=buckets)


RECONCILE: Final = _counter("kwitness_reconcile_total")
RECONCILE_ERRORS: Final = _counter("kwitness_reconcile_errors_total")
RECONCILE_DURATION: Final = _histogram("kwitness_reconcile_duration_seconds", (0.01, 0.05, 0.1, 0.5, 1, 5, 30))
RECONCILE_SINCE: Final = _gauge("kwitness_reconcile_in_progress_since_seconds")
LEADER: Final = _gauge("kwitness_leader")
WORKQUEUE_DEPTH: Final = _gauge("kwitness_workqueue_depth")
API_WRITES: Final = _counter("kwitness_api_writes_total")
BROKER_WRITES: Final = _counter("kwitness_broker_writes_total")
BUILD_INFO: Final = _gauge("kwitness_build_info")
CHILDREN_WATCHED: Final = _gauge("kwitness_children_watched")
WATCH_SUCCESS: Final = _gauge("kwitness_watch_last_success_seconds")
DRIFT_REPAIRS: Final = _counter("kwitness_drift_repairs_total")


class ConditionGauges:
    """What conditions say, read from the store when it is asked for, so that deleted resources leave no series.

    ``kwitness_resource_ready`` has Ready, and ``kwitness_resource_condition`` those beside it that are not Unknown.

    Satisfies prometheus_client's collector protocol.
    """

    def __init__(self, store: Store, kinds: Sequence[str]) -> None:
        self._store = store
        self._kinds = kinds

    def collect(self) -> Iterable[Metric]:
        """Yield a gauge with a sample per resource that has a Ready condition, and one for its further conditions."""
        ready, beside = (
            GaugeMetricFamily(entry.name, entry.help, labels=entry.labels)
            for entry in (own_metric("kwitness_resource_ready"), own_metric("kwitness_resource_condition"))
        )
        for kind in self._kinds:
            for key, body in self._store.items(kind):
                for condition in (body.get("status") or {}).get("conditions", ()):
                    labels, holds = [kind, key.namespace, key.name], float(condition["status"] == "True")
                    if condition["type"] == "Ready":
                        ready.add_metric([*labels, condition["reason"]], holds)
                    elif condition["status"] != "Unknown":
                        beside.add_metric([*labels, condition["type"], condition["reason"]], holds)
        yield from (ready, beside)


class JobNumbers:
    """What drivers of AnalyticsJobs last said, from their statuses: a driver may be gone before anybody scrapes it.

    Satisfies prometheus_client's collector protocol.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterable[Metric]:
        """Yield the ledgers, the lag and the findings of all jobs."""
        events, queued, lag, findings = (
            kind(entry.name, entry.help, labels=entry.labels)
            for kind, entry in (
                (CounterMetricFamily, own_metric("kwitness_job_events_total")),
                (GaugeMetricFamily, own_metric("kwitness_job_queued_events")),
                (GaugeMetricFamily, own_metric("kwitness_job_lag_records")),
                (GaugeMetricFamily, own_metric("kwitness_job_findings")),
            )
        )
        for key, body in self._store.items("AnalyticsJob"):
            labels = [key.namespace, key.name]
            for status in (body.get("status") or {}).get("analyses", ()):
                for ledger in status.get("ledger", ()):
                    for outcome in ("accepted", "delivered"):
                        events.add_metric([*labels, outcome, ""], ledger[outcome])
                    for reason, count in ledger.get("dropped", {}).items():
                        events.add_metric([*labels, "dropped", reason], count)
                    queued.add_metric(labels, ledger["queued"])
                if "records" in status.get("lag", {}):
                    lag.add_metric(labels, status["lag"]["records"])
                for finding, count in status.get("findingCounts", {}).items():
                    findings.add_metric([*labels, status["type"], finding], count)
        yield from (events, queued, lag, findings)


class JobCosts:
    """Costs that jobs of type CostAttribution computed last, from their statuses, in units of the currency.

    Satisfies prometheus_client's collector protocol.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterable[Metric]:
        """Yield the costs of months and of days, and when the days ended."""
        months, days, ends = (
            GaugeMetricFamily(entry.name, entry.help, labels=entry.labels)
            for entry in map(
                own_metric, ("kwitness_cost_month_units", "kwitness_cost_day_units", "kwitness_cost_day_end_seconds")
            )
        )
        for key, body in self._store.items("AnalyticsJob"):
            labels = [key.namespace, key.name]
            for status in (body.get("status") or {}).get("analyses", ()):
                costs = status.get("costs") or {}
                for entry in costs.get("owners", ()):
                    of_owner = [*labels, entry["owner"], costs["currency"]]
                    months.add_metric(of_owner, entry["monthMicroUnits"] / MICRO_UNITS)
                    if "dayMicroUnits" in entry:
                        days.add_metric(of_owner, entry["dayMicroUnits"] / MICRO_UNITS)
                if "dayEndTime" in costs:
                    ends.add_metric(labels, milliseconds_of(costs["dayEndTime"]) / 1000)
        yield from (months, days, ends)


class OutdatedClients:
    """``kwitness_clients_below_minimum_version``, found out when it is asked for, so that who is gone leaves no series.

    ``found`` returns open connections by cluster id, software name and version. Satisfies prometheus_client's collector
    protocol.
    """

    def __init__(self, found: Callable[[], Mapping[tuple[str, str, str], int]]) -> None:
        self._found = found

    def collect(self) -> Iterable[Metric]:
        """Yield one gauge with a sample per version below the least one."""
        entry = own_metric("kwitness_clients_below_minimum_version")
        gauge = GaugeMetricFamily(entry.name, entry.help, labels=entry.labels)
        for labels, connections in sorted(self._found().items()):
            gauge.add_metric(labels, connections)
        yield gauge
