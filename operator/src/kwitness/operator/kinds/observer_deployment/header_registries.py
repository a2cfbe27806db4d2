"""The registers that an observer judges headers by."""

from __future__ import annotations

from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.environment.header_registries import (
    CombinedRegistries,
    combined_registries,
    registries_resolved,
    registry_keys,
)
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.work import View

__all__ = ["registers_of", "registers_resolved", "registries_of"]


def registers_of(resource: ObserverDeployment) -> list[Key]:
    """The registers that the resource names."""
    named = (one for entry in resource.spec.observers if entry.headers is not None for one in entry.headers.registries)
    return registry_keys(resource.metadata.namespace, named)


def registries_of(resource: ObserverDeployment, view: View) -> CombinedRegistries:
    """Put them together.

    Raises
    ------
    TransientError
        It is not known who has which key.
    """
    return combined_registries(registers_of(resource), view)


def registers_resolved(resource: ObserverDeployment, combined: CombinedRegistries) -> tuple[Verdict, ...]:
    """Whether all of them count, where there are any."""
    return (registries_resolved("spec.observers", combined),) if registers_of(resource) else ()
