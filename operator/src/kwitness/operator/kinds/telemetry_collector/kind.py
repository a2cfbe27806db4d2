"""TelemetryCollector as the engine sees it."""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.telemetry_collector.decide import decide
from kwitness.operator.kinds.telemetry_collector.needs import KIND, needs
from kwitness.operator.shapes.work import KindSpec, OptionalChild, Unit
from kwitness.runtime.child_names import collector_name

__all__ = ["TELEMETRY_COLLECTOR"]

TELEMETRY_COLLECTOR: Final = KindSpec(
    kind=KIND,
    unit=lambda key: Unit(KIND, key),
    needs=needs,
    decide=decide,
    optional=(OptionalChild("PodDisruptionBudget", collector_name), OptionalChild("ServiceMonitor", collector_name)),
)
