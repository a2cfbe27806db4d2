"""Costs in the status of an AnalyticsJob are metrics, in units of the currency."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry, generate_latest

from kwitness.operator.metrics import JobCosts
from kwitness.operator.model.store import Store

OWNERS = [
    {"owner": "orders", "monthMicroUnits": 2_500_000, "dayMicroUnits": 10},
    {"owner": "unowned", "monthMicroUnits": 1},
]
COSTS = {"currency": "EUR", "month": "2026-11", "owners": OWNERS}
DAY = {"day": "2026-11-29", "dayEndTime": "2026-11-30T00:00:00Z"}


def exposed(costs: dict[str, Any] | None) -> set[str]:
    """Samples of a job with these costs."""
    store, registry = Store(), CollectorRegistry()
    analysis = {"table": "cost", "type": "CostAttribution", **({"costs": costs} if costs else {})}
    metadata = {"name": "cost", "namespace": "kwitness", "resourceVersion": "1"}
    store.put("AnalyticsJob", {"metadata": metadata, "status": {"analyses": [analysis]}})
    registry.register(JobCosts(store))
    lines = generate_latest(registry).decode().splitlines()
    return {line.replace('name="cost",namespace="kwitness"', "JOB") for line in lines if not line.startswith("#")}


def test_micro_units_are_exposed_as_units_by_owner_and_currency() -> None:
    assert exposed(COSTS | DAY) == {
        'kwitness_cost_month_units{currency="EUR",JOB,owner="orders"} 2.5',
        'kwitness_cost_month_units{currency="EUR",JOB,owner="unowned"} 1e-06',
        'kwitness_cost_day_units{currency="EUR",JOB,owner="orders"} 1e-05',
        "kwitness_cost_day_end_seconds{JOB} 1.7959968e+09",
    }


def test_a_job_without_costs_has_no_series() -> None:
    assert exposed(None) == set()
