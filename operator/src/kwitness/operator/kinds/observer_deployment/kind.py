"""ObserverDeployment as the engine sees it."""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.observer_deployment.decide import decide
from kwitness.operator.kinds.observer_deployment.needs import KIND, needs
from kwitness.operator.shapes.work import KindSpec, OptionalChild, Unit
from kwitness.runtime.child_names import gateway_name, observer_host_name

__all__ = ["OBSERVER_DEPLOYMENT"]

OBSERVER_DEPLOYMENT: Final = KindSpec(
    kind=KIND,
    unit=lambda key: Unit(KIND, key),
    needs=needs,
    decide=decide,
    optional=(
        OptionalChild("PodDisruptionBudget", gateway_name),
        OptionalChild("PodDisruptionBudget", observer_host_name),
        OptionalChild("Deployment", observer_host_name),
    ),
)
