"""Replicas of the operator: one works by a Lease, and pods leave a node that does not answer soon."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.e2e import chart

from tests.chart.manifests import named


def lease_rules(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    roles = chart.of_kind(manifests, "Role", "ClusterRole")
    return [rule for role in roles for rule in role["rules"] if "leases" in rule["resources"]]


def test_replicas_have_a_lease_a_budget_and_different_nodes() -> None:
    manifests = chart.render({"operator": {"replicas": 2}})
    pod = named(manifests, "Deployment", "kwitness-operator")["spec"]

    assert [rule["resourceNames"] for rule in lease_rules(manifests)] == [["kwitness-operator"]]
    assert named(manifests, "PodDisruptionBudget", "kwitness-operator")["spec"]["maxUnavailable"] == 1
    assert pod["strategy"]["type"] == "RollingUpdate"
    assert pod["template"]["spec"]["topologySpreadConstraints"][0]["topologyKey"] == "kubernetes.io/hostname"


def test_one_replica_has_neither_lease_nor_budget() -> None:
    manifests = chart.render({})
    budgets = chart.of_kind(manifests, "PodDisruptionBudget")

    assert lease_rules(manifests) == []
    assert "kwitness-operator" not in {budget["metadata"]["name"] for budget in budgets}
    assert named(manifests, "Deployment", "kwitness-operator")["spec"]["strategy"] == {"type": "Recreate"}


LEAVES = {"node.kubernetes.io/not-ready": 30, "node.kubernetes.io/unreachable": 30}


@pytest.mark.parametrize(
    ("own", "seconds"),
    [
        ([], LEAVES),
        ([{"key": "spot", "operator": "Exists"}], {"spot": None, **LEAVES}),
        (
            [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 600}],
            {**LEAVES, "node.kubernetes.io/not-ready": 600},
        ),
        ([{"operator": "Exists"}], {None: None}),
    ],
)
def test_pods_leave_a_node_that_does_not_answer_after_30_seconds_unless_values_say_otherwise(own, seconds) -> None:
    manifests = chart.render({"pods": {"tolerations": own}, "injector": {"enabled": True}})

    for name in ("kwitness-operator", "kwitness-injector"):
        tolerations = named(manifests, "Deployment", name)["spec"]["template"]["spec"]["tolerations"]
        assert {entry.get("key"): entry.get("tolerationSeconds") for entry in tolerations} == seconds
