"""AnalyticsJob: what is of one analysis goes into `spec.analyses`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["to_v1beta1"]

_OF_AN_ANALYSIS: Final = ("type", "table", "run", "window", "parameters")
_IDENTITY_KEYS: Final = {
    "Principal": "principal",
    "Namespace": "k8s_namespace",
    "ClientId": "client_id",
    "Workload": "k8s_workload",
}
_ACCEPTED: Final = "kwitness.dev/accept-cluster-id"


def to_v1beta1(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return an AnalyticsJob of v1alpha1 as one of v1beta1, without its status."""
    metadata = {**resource["metadata"]}
    annotations = dict(metadata.pop("annotations", None) or {})
    accepted = annotations.pop(_ACCEPTED, None)
    if annotations:
        metadata["annotations"] = annotations
    former = deepcopy(dict(resource["spec"]))
    analysis = {name: former.pop(name) for name in _OF_AN_ANALYSIS if name in former}
    if "costAttribution" in (analysis.get("parameters") or {}):
        analysis["parameters"]["costAttribution"] = _costs(analysis["parameters"]["costAttribution"])
    spec = {"analyses": [analysis], **former, **({"clusterId": accepted} if accepted else {})}
    kept = {name: value for name, value in resource.items() if name != "status"}
    return {**kept, "apiVersion": API_VERSION, "metadata": deepcopy(metadata), "spec": spec}


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
