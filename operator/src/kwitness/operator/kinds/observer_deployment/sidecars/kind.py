"""The injections as the engine sees them: one unit for the installation."""

from __future__ import annotations

from typing import Final

from kwitness.operator.environment.injector import config_map_key
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.kinds.observer_deployment.needs import KIND, related
from kwitness.operator.kinds.observer_deployment.sidecars.compiled import decide, sidecars
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Every, NamedObject, Refusals
from kwitness.operator.shapes.work import KindSpec, Need, Unit, View

__all__ = ["INJECTIONS"]

_NAME: Final = "Injections"


def _needs(unit: Unit, view: View) -> frozenset[Need]:
    """All resources, what each of them depends on, and what stands."""
    del unit
    found = {
        Need(Every(KIND)),
        Need(Refusals()),
        Need(NamedObject("ConfigMap", config_map_key(view.settings)), SETTLED_SECONDS),
    }
    for _, resource in sidecars(view):
        found |= related(Key(resource.metadata.namespace, resource.metadata.name), resource, view)
    return frozenset(found)


INJECTIONS: Final = KindSpec(kind=_NAME, unit=lambda key: Unit(_NAME, key), needs=_needs, decide=decide)
