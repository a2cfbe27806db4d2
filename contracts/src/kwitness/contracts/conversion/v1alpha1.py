"""Converts resources of v1alpha1 to v1beta1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final

from kwitness.contracts.resources.kind_names import PLURALS
from kwitness.contracts.resources.meta import API_VERSION

from . import analytics_job, interceptor_profile, kafka_cluster, observer_deployment, telemetry_collector

__all__ = ["to_v1beta1"]

_SPECS: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "KafkaCluster": kafka_cluster.convert_spec,
    "ObserverDeployment": observer_deployment.convert_spec,
    "TelemetryCollector": telemetry_collector.convert_spec,
    "InterceptorProfile": interceptor_profile.convert_spec,
    "AnalyticsJob": analytics_job.convert_spec,
}
"""By kind; specs of the other kinds stay as they are."""

_ACCEPTED: Final = "kwitness.dev/accept-cluster-id"
"""Annotation of a KafkaCluster or AnalyticsJob that `spec.clusterId` replaces."""


def to_v1beta1(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource in the shape of v1beta1, without its status, which the operator writes again.

    Raises
    ------
    ValueError
        It is of no kind of kwitness.
    """
    kind = str(resource.get("kind"))
    if kind not in PLURALS:
        raise ValueError(f"{kind!r} is no kind of kwitness: use one of {', '.join(PLURALS)}")
    converted = {name: deepcopy(value) for name, value in resource.items() if name != "status"}
    convert = _SPECS.get(kind, dict)
    spec = convert(converted["spec"])
    annotations = converted["metadata"].get("annotations") or {}
    if accepted := annotations.pop(_ACCEPTED, None):
        spec["clusterId"] = accepted
        if not annotations:
            del converted["metadata"]["annotations"]
    return {**converted, "apiVersion": API_VERSION, "spec": spec}
