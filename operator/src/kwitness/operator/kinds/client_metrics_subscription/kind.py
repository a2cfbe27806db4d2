"""ClientMetricsSubscription as the engine sees it: those of one KafkaCluster are one unit.

One can protect clients from another, and each cluster is written to by one worker at a time.
"""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.client_metrics_subscription.decide import decide
from kwitness.operator.kinds.client_metrics_subscription.needs import KIND, needs
from kwitness.operator.shapes.facts import Referring
from kwitness.operator.shapes.work import KindSpec, Unit

__all__ = ["CLIENT_METRICS_SUBSCRIPTION"]

CLIENT_METRICS_SUBSCRIPTION: Final = KindSpec(
    kind=KIND,
    unit=lambda cluster: Unit(KIND, cluster),
    needs=needs,
    decide=decide,
    members=lambda unit: Referring(KIND, unit.key),
)
"""Its units have KafkaClusters as keys."""
