"""In which namespaces a resource puts something into pods: its own, and others as it and the installation allow it."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.contracts.namespaces import ANY_NAMESPACE, contains_namespace
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.operator.settings import OperatorSettings

__all__ = ["acts_in", "allowed_namespaces", "may_act_in", "other_namespaces"]

Selecting = ObserverDeployment | InterceptorProfile


def allowed_namespaces(resource: Selecting, settings: OperatorSettings) -> tuple[str, ...] | None:
    """Namespaces that the installation lets it select by labels; None: all that let their pods get observers."""
    own, others = resource.metadata.namespace, settings.injector.other_namespaces
    if own not in others.from_:
        return (own,)
    return None if ANY_NAMESPACE in others.to else tuple(sorted({own, *others.to}))


def other_namespaces(resource: Selecting, settings: OperatorSettings) -> tuple[str, ...]:
    """Namespaces, beside its own, in which it may act, with any labels; ``*`` is all."""
    if resource.spec.namespace_selector is None:
        return ()
    own, allowed = resource.metadata.namespace, allowed_namespaces(resource, settings)
    return (ANY_NAMESPACE,) if allowed is None else tuple(namespace for namespace in allowed if namespace != own)


def may_act_in(resource: Selecting, namespace: str, settings: OperatorSettings) -> bool:
    """Whether it may act in a namespace, whatever labels that has."""
    return contains_namespace({resource.metadata.namespace, *other_namespaces(resource, settings)}, namespace)


def acts_in(
    resource: Selecting, enabled: Mapping[str, Mapping[str, str]], settings: OperatorSettings
) -> tuple[str, ...]:
    """Namespaces in whose pods it puts something; ``enabled`` are labels by name, of those that let it."""
    selector = resource.spec.namespace_selector
    reach = {resource.metadata.namespace, *other_namespaces(resource, settings)}
    return tuple(
        name
        for name, labels in sorted(enabled.items())
        if contains_namespace(reach, name) and (selector is None or selector.matches(labels))
    )
