"""In which namespaces a resource puts something into pods: its own, and others as it and the installation allow it."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.settings import OperatorSettings

__all__ = ["acts_in", "allowed_namespaces", "may_act_in"]

Selecting = ObserverDeployment | InterceptorProfile


def allowed_namespaces(resource: Selecting, settings: OperatorSettings) -> tuple[str, ...] | None:
    """Namespaces that the installation lets it select by labels; None: all that let their pods get observers."""
    own, others = resource.metadata.namespace, settings.injector.other_namespaces
    if own not in others.from_:
        return (own,)
    return None if "*" in others.to else tuple(sorted({own, *others.to}))


def may_act_in(resource: Selecting, namespace: str, settings: OperatorSettings) -> bool:
    """Whether it may act in a namespace, whatever labels that has."""
    if resource.spec.namespace_selector is None:
        return namespace == resource.metadata.namespace
    allowed = allowed_namespaces(resource, settings)
    return allowed is None or namespace in allowed


def acts_in(
    resource: Selecting, enabled: Mapping[str, Mapping[str, str]], settings: OperatorSettings
) -> tuple[str, ...]:
    """Namespaces in whose pods it puts something; ``enabled`` are labels by name, of those that let it."""
    selector = resource.spec.namespace_selector
    return tuple(
        name
        for name, labels in sorted(enabled.items())
        if may_act_in(resource, name, settings) and (selector is None or selector.matches(labels))
    )
