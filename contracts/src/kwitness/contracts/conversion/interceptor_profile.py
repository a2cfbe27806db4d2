"""Converts an InterceptorProfile of v1alpha1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kwitness.contracts.resources.meta import API_VERSION

__all__ = ["to_v1beta1"]

_JAVA_VARIABLES: Final = {"JavaToolOptions": "JAVA_TOOL_OPTIONS", "JdkJavaOptions": "JDK_JAVA_OPTIONS"}


def to_v1beta1(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resource of v1beta1, without status."""
    spec = dict(resource["spec"])
    if spec.get("runtimes") == ["Auto"]:
        del spec["runtimes"]
    if "javaVariable" in spec:
        spec["javaVariable"] = _JAVA_VARIABLES[spec["javaVariable"]]
    return {
        **{name: value for name, value in resource.items() if name != "status"},
        "apiVersion": API_VERSION,
        "spec": spec,
    }
