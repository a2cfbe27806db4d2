"""AnalyticsJob: what is of one analysis goes into `spec.analyses`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["to_v1beta1"]

_OF_AN_ANALYSIS: Final = ("type", "table", "run", "window", "parameters")
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
    if "costAttribution" in analysis.get("parameters", {}):
        analysis["parameters"]["costAttribution"] = _with_references(analysis["parameters"]["costAttribution"])
    spec = {"analyses": [analysis], **former, **({"clusterId": accepted} if accepted else {})}
    kept = {name: value for name, value in resource.items() if name != "status"}
    return {**kept, "apiVersion": API_VERSION, "metadata": deepcopy(metadata), "spec": spec}


def _with_references(parameters: Mapping[str, Any]) -> dict[str, Any]:
    renamed = {"rateCard": "rateCardConfigMapRef"}
    jobs = {"trafficJob": "trafficJobRef", "headerDriftJob": "headerDriftJobRef"}
    return {
        jobs.get(name, renamed.get(name, name)): {"name": value} if name in jobs else value
        for name, value in parameters.items()
    }
