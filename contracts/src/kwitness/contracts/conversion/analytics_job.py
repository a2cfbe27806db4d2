"""AnalyticsJob: what is of one analysis goes into `spec.analyses`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["convert_spec"]

_OF_AN_ANALYSIS: Final = ("type", "table", "run", "window", "parameters")
_IDENTITY_KEYS: Final = {
    "Principal": "principal",
    "Namespace": "k8s_namespace",
    "ClientId": "client_id",
    "Workload": "k8s_workload",
}


def convert_spec(former: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of v1beta1."""
    analysis = {name: former[name] for name in _OF_AN_ANALYSIS if name in former}
    parameters = analysis.get("parameters") or {}
    if "costAttribution" in parameters:
        analysis["parameters"] = {**parameters, "costAttribution": _costs(parameters["costAttribution"])}
    return {"analyses": [analysis], **{name: former[name] for name in former if name not in analysis}}


def _costs(former: Mapping[str, Any]) -> dict[str, Any]:
    parameters = dict(former)
    for name in ("trafficJob", "headerDriftJob"):
        if name in parameters:
            parameters[f"{name}Ref"] = {"name": parameters.pop(name)}
    if "rateCard" in parameters:
        parameters["rateCardConfigMapRef"] = parameters.pop("rateCard")
    if "groupBy" in parameters:
        parameters["groupBy"] = [_IDENTITY_KEYS.get(word, word) for word in parameters["groupBy"]]
    return parameters
