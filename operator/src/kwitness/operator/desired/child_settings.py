"""Applies the Helm values of pods and a resource's `pod` and `service` blocks to the objects that are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kwitness.contracts.resources.pod_settings import PodSettings
from kwitness.contracts.resources.service_settings import ServiceSettings
from kwitness.operator.desired.trust_bundle import with_trust_bundle
from kwitness.operator.pod_values import PodValues, TrustBundle

__all__ = ["with_pod_settings", "with_pod_values", "with_service_settings"]

_PLACEMENT: Final = {"node_selector", "tolerations", "affinity", "priority_class_name", "dns_policy", "dns_config"}


def with_pod_values(
    template: Mapping[str, Any], values: PodValues, selector: Mapping[str, str], bundle: TrustBundle | None
) -> dict[str, Any]:
    """Return a pod template with what ``values`` adds; what ``template`` has wins, but for a spread and user ids.

    ``selector`` selects the pods of the template, whose first container trusts ``bundle``.
    """
    template = with_trust_bundle(template, bundle)
    spec = template["spec"]
    container, *others = spec["containers"]
    placement = values.model_dump(by_alias=True, exclude_none=True, include=_PLACEMENT)
    spread = {}
    if values.topology_spread_constraints is not None:
        of_template = {"labelSelector": {"matchLabels": dict(selector)}}
        spread["topologySpreadConstraints"] = [of_template | entry for entry in values.topology_spread_constraints]
    own = container.get("env", [])
    names = {variable["name"] for variable in own}
    environment = [*own, *(variable for variable in values.env if variable["name"] not in names)]
    return {
        **template,
        "metadata": _with_metadata(template.get("metadata", {}), values),
        "spec": {
            **placement,
            **spec,
            **spread,
            "securityContext": {**spec["securityContext"], **values.security_context},
            "containers": [{**container, **({"env": environment} if environment else {})}, *others],
        },
    }


def with_pod_settings(template: Mapping[str, Any], settings: PodSettings) -> dict[str, Any]:
    """Return a pod template with the labels, annotations and placement that ``settings`` has."""
    placement = settings.model_dump(
        by_alias=True, exclude_none=True, include={"node_selector", "tolerations", "priority_class_name"}
    )
    return {
        **template,
        "metadata": _with_metadata(template.get("metadata", {}), settings),
        "spec": {**template["spec"], **placement},
    }


def with_service_settings(service: Mapping[str, Any], settings: ServiceSettings) -> dict[str, Any]:
    """Return a Service with the type, labels, annotations and load balancer that ``settings`` has."""
    spec = settings.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"labels", "annotations"})
    return {
        **service,
        "metadata": _with_metadata(service["metadata"], settings),
        "spec": {**service["spec"], **spec},
    }


def _with_metadata(metadata: Mapping[str, Any], settings: PodSettings | PodValues | ServiceSettings) -> dict[str, Any]:
    added = {"labels": settings.labels, "annotations": settings.annotations}
    merged = {field: {**keys, **metadata.get(field, {})} for field, keys in added.items()}
    return {**metadata, **{field: keys for field, keys in merged.items() if keys}}
