"""Conversion of InterceptorProfiles."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.conversion.v1alpha1 import to_v1beta1

SPEC = {"clusterRef": {"name": "orders"}, "selector": {"matchLabels": {"app": "orders"}}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"runtimes": ["Auto"]}, {}),
        (
            {"runtimes": ["Java"], "javaVariable": "JavaToolOptions"},
            {"runtimes": ["Java"], "javaVariable": "JAVA_TOOL_OPTIONS"},
        ),
        ({"javaVariable": "JdkJavaOptions"}, {"javaVariable": "JDK_JAVA_OPTIONS"}),
    ],
)
def test_runtimes_of_pods_are_absent_and_variables_have_their_own_names(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    profile = {"apiVersion": "kwitness.dev/v1alpha1", "kind": "InterceptorProfile", "metadata": {"name": "orders"}}

    assert to_v1beta1({**profile, "spec": {**SPEC, **before}, "status": {"clients": 2}}) == {
        **profile,
        "apiVersion": "kwitness.dev/v1beta1",
        "spec": {**SPEC, **after},
    }
