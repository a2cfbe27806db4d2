"""Where a pod is made, and which injections mean it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kwitness.contracts.injections import INJECT, INJECTION, Injection
from kwitness.contracts.interceptor_injections import InterceptorInjection

from . import pods
from .pods import Json

__all__ = ["Place", "selects", "shut_out"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pod is made: the metadata of its ``namespace``, and Kubernetes 1.``minor``.

    ``security_level`` is the Pod Security Standard that is enforced in namespaces whose labels name none.
    """

    namespace: Json
    minor: int
    security_level: str

    @property
    def name(self) -> str:
        """The namespace's name."""
        return str(self.namespace["metadata"]["name"])


def shut_out(pod: Json, place: Place) -> Literal["not_selected", "opted_out"] | None:
    """Whether nothing is put into a pod, whatever selects it."""
    if pods.labels_of(place.namespace).get(INJECTION) != "enabled" or pods.is_mirror(pod):
        return "not_selected"
    opted_out = "false" in (pods.labels_of(pod).get(INJECT), pods.annotations_of(pod).get(INJECT))
    return "opted_out" if opted_out else None


def selects(injection: Injection | InterceptorInjection, pod: Json, place: Place) -> bool:
    """Whether an injection means a pod, by namespace and labels."""
    wanted = injection.namespace_selector
    here = (
        place.name == injection.namespace
        if wanted is None
        else wanted.matches(pods.labels_of(place.namespace))
        and (injection.namespaces is None or place.name in injection.namespaces)
    )
    return here and injection.pod_selector.matches(pods.labels_of(pod))
