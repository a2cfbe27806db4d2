"""Converts an InterceptorProfile of v1alpha1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["convert_spec"]

_JAVA_VARIABLES: Final = {"JavaToolOptions": "JAVA_TOOL_OPTIONS", "JdkJavaOptions": "JDK_JAVA_OPTIONS"}


def convert_spec(former: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of v1beta1."""
    spec = dict(former)
    if spec.get("runtimes") == ["Auto"]:
        del spec["runtimes"]
    if "javaVariable" in spec:
        spec["javaVariable"] = _JAVA_VARIABLES[spec["javaVariable"]]
    return spec
