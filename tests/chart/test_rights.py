"""Which rights the chart gives: exactly those of an allow-list, none that lead to others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.e2e import chart
from kwitness.runtime.child_names import (
    cluster_memory_name,
    collector_name,
    collector_replicas_name,
    gateway_name,
    gateway_ports_name,
    job_name,
    observer_host_name,
)

ALLOWED = Path(__file__).parent / "allowed_rights.yaml"
"""`subject` to its rules by scope, for values with every switch on. A change here is a change of what we may do."""


def test_gives_exactly_the_allowed_rights(everything: dict[str, Any]) -> None:
    given = rights(chart.render(everything))

    assert given == yaml.safe_load(ALLOWED.read_text())


@pytest.mark.parametrize("values", [{}, {"watchNamespaces": ["*"]}, {"watchNamespaces": ["a", "b"]}], ids=str)
def test_gives_no_right_that_leads_to_others(values: dict[str, Any]) -> None:
    for rule in rules(chart.render(values)):
        assert not {"escalate", "bind", "impersonate", "*"} & set(rule["verbs"]), rule
        assert "*" not in rule["apiGroups"], rule
        assert "*" not in rule["resources"], rule
        assert "rbac.authorization.k8s.io" not in rule["apiGroups"], rule


def test_reads_no_secret_unless_it_is_named(everything: dict[str, Any]) -> None:
    by_default = [rule for rule in rules(chart.render()) if "secrets" in rule["resources"]]
    named = [rule for rule in rules(chart.render(everything)) if "secrets" in rule["resources"]]

    assert by_default == []
    assert [(rule["verbs"], rule["resourceNames"]) for rule in named] == [
        (["get"], ["kwitness-kafka-admin"]),
        # Its own certificate, which the chart makes empty.
        (["get", "update"], ["kwitness-injector-certificate"]),
    ]


def test_narrows_writes_to_children_named_in_advance() -> None:
    manifests = chart.render({"rbac": {"telemetryCollectors": ["main"], "analyticsJobs": ["inventory"]}})

    writes = {
        resource: rule.get("resourceNames")
        for role in chart.of_kind(manifests, "Role")
        if role["metadata"]["name"] == "kwitness-operator"
        for rule in role["rules"]
        for resource in rule["resources"]
        if "create" in rule["verbs"]
    }
    both = ["kwitness-collector-main", "kwitness-job-inventory"]
    assert writes["statefulsets"] == both
    assert writes["configmaps"] == both
    assert writes["services"] == [both[0], "kwitness-collector-main-replicas", both[1]]
    assert writes["poddisruptionbudgets"] == ["kwitness-collector-main"]
    assert writes["cronjobs"] == ["kwitness-job-inventory"]
    # A run has a hash in its name.
    assert writes["jobs"] is None
    # Whoever narrowed before there were gateways has not allowed any.
    assert not {"deployments", "serviceaccounts"} & writes.keys()


def test_narrows_growing_to_claims_of_collectors_named_in_advance() -> None:
    narrowed = {"telemetryCollectors": ["main"], "analyticsJobs": ["inventory"]}
    manifests = chart.render({"rbac": narrowed, "limits": {"maxCollectorReplicas": 2}})

    [grown] = [
        one for one in rules(manifests) if "persistentvolumeclaims" in one["resources"] and "patch" in one["verbs"]
    ]
    claims = ["state-kwitness-collector-main-0", "state-kwitness-collector-main-1"]
    assert (grown["verbs"], grown["resourceNames"]) == (["get", "patch"], claims)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({}, []),
        ({"rbac": {"growAnyClaim": True}}, [None]),
        # With names for collectors alone other writes are as wide as before, and claims are not.
        ({"rbac": {"telemetryCollectors": ["main"]}}, [[f"state-kwitness-collector-main-{n}" for n in range(8)]]),
        (
            {"rbac": {"telemetryCollectors": ["main"], "growAnyClaim": True}, "limits": {"maxCollectorReplicas": 1}},
            [["state-kwitness-collector-main-0"]],
        ),
    ],
    ids=str,
)
def test_makes_no_claim_larger_that_is_not_named_unless_all_may_grow(
    values: dict[str, Any], names: list[list[str] | None]
) -> None:
    granted = [rule for rule in rules(chart.render(values)) if "persistentvolumeclaims" in rule["resources"]]

    assert [rule.get("resourceNames") for rule in granted if "patch" in rule["verbs"]] == names
    assert any("get" in rule["verbs"] and "resourceNames" not in rule for rule in granted)


def test_narrows_writes_to_gateways_named_in_advance() -> None:
    names = {"telemetryCollectors": ["main"], "observerDeployments": ["orders"], "analyticsJobs": ["inventory"]}
    manifests = chart.render({"rbac": names})

    writes = {
        resource: rule["resourceNames"]
        for role in chart.of_kind(manifests, "Role")
        if role["metadata"]["name"] == "kwitness-operator"
        for rule in role["rules"]
        for resource in rule["resources"]
        if "create" in rule["verbs"] and "resourceNames" in rule
    }
    gateway = "kwitness-gateway-orders"
    assert writes["deployments"] == [gateway, "kwitness-host-orders"]
    assert writes["serviceaccounts"] == [gateway]
    assert gateway in writes["services"]
    assert {gateway, f"{gateway}-ports", "kwitness-host-orders"} <= set(writes["configmaps"])
    assert gateway in writes["poddisruptionbudgets"]
    assert gateway not in writes["statefulsets"]


def test_stays_in_the_watched_namespaces() -> None:
    manifests = chart.render({"watchNamespaces": ["a", "b"]}, namespace="platform")

    roles = {
        one["metadata"]["namespace"]
        for one in chart.of_kind(manifests, "Role")
        if one["metadata"]["name"] == "kwitness-operator"
    }
    cluster_wide = [rule["resources"] for one in chart.of_kind(manifests, "ClusterRole") for rule in one["rules"]]
    assert roles == {"a", "b"}
    assert sorted(cluster_wide) == [["namespaces"], ["subjectaccessreviews"], ["tokenreviews"]]


@pytest.mark.parametrize(
    ("values", "verbs"),
    [
        ({"watchNamespaces": ["*"]}, ["get"]),
        ({"watchNamespaces": ["*"], "owners": {"namespaces": True}}, ["get", "list"]),
        ({"watchNamespaces": ["a"], "owners": {"namespaces": True}}, ["get"]),
    ],
    ids=str,
)
def test_lists_namespaces_for_their_owners_only_where_all_are_watched(values: dict[str, Any], verbs: list[str]) -> None:
    [given] = [rule for rule in rules(chart.render(values)) if rule["resources"] == ["namespaces"]]

    assert given["verbs"] == verbs


def rules(manifests: list[chart.Manifest]) -> list[dict[str, Any]]:
    return [rule for one in chart.of_kind(manifests, "Role", "ClusterRole") for rule in one["rules"]]


def rights(manifests: list[chart.Manifest]) -> dict[str, dict[str, list[str]]]:
    """Service account to scope to `verbs group/resources [names]`, sorted."""
    roles = {
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one["rules"]
        for one in chart.of_kind(manifests, "Role", "ClusterRole")
    }
    found: dict[str, dict[str, list[str]]] = {}
    for binding in chart.of_kind(manifests, "RoleBinding", "ClusterRoleBinding"):
        scope = binding["metadata"].get("namespace")
        reference = binding["roleRef"]
        given = roles[reference["kind"], scope if reference["kind"] == "Role" else None, reference["name"]]
        for subject in binding["subjects"]:
            account = found.setdefault(f"{subject['namespace']}/{subject['name']}", {})
            account.setdefault(scope or "cluster", []).extend(map(in_words, given))
    return {account: {scope: sorted(lines) for scope, lines in by_scope.items()} for account, by_scope in found.items()}


def in_words(rule: dict[str, Any]) -> str:
    resources = ",".join(f"{group}/{resource}" for group in rule["apiGroups"] for resource in rule["resources"])
    names = f" [{','.join(rule['resourceNames'])}]" if "resourceNames" in rule else ""
    return f"{','.join(rule['verbs'])} {resources}{names}"


LONG = [*(f"a{'b' * length}" for length in (32, 33, 38, 39)), *(f"c{'d' * n}{'-' * (38 - n)}e" for n in (20, 25, 28))]
"""Names about the lengths where those of children are cut, and some that are cut at hyphens; 40 is the longest."""


def test_narrows_writes_to_the_names_that_the_operator_gives_its_children() -> None:
    names = dict.fromkeys(("telemetryCollectors", "analyticsJobs", "observerDeployments", "kafkaClusters"), LONG)
    cluster = "k" * 240
    manifests = chart.render({"rbac": {**names, "kafkaClusters": [*LONG, cluster]}})

    allowed = {
        name
        for role in chart.of_kind(manifests, "Role")
        if role["metadata"]["name"] == "kwitness-operator"
        for rule in role["rules"]
        if "create" in rule["verbs"]
        for name in rule.get("resourceNames", ())
    }
    of_one = (
        collector_name,
        collector_replicas_name,
        job_name,
        gateway_name,
        gateway_ports_name,
        observer_host_name,
        cluster_memory_name,
    )
    assert allowed == {name(one) for name in of_one for one in LONG} | {cluster_memory_name(cluster)}
