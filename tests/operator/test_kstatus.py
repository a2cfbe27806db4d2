"""Beside Ready: Reconciling while something may still come of itself, Stalled where only the user can help."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.reasons import REASONS, Reason
from kwitness.contracts.resources import KINDS
from kwitness.e2e.api_server import ApiServer
from kwitness.operator.model.conditions import Verdict, conditions_of

from tests.eventually import eventually
from tests.operator.surroundings import analytics_job, apply, cluster, collector, gateway, subscription

READY = [one for one in REASONS if one.condition == "Ready"]
OF_KSTATUS = {"Reconciling", "Stalled"}
AT = {"generation": 3, "now": "2026-01-02T03:04:05Z"}


def _conditions(entry: Reason, previous: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    verdicts = [Verdict("Traffic", "True", "Traffic", "m"), Verdict("Ready", entry.status, entry.reason, "why")]
    return conditions_of(verdicts, previous=previous or [], **AT)


@pytest.mark.parametrize("entry", REASONS, ids=lambda one: f"{one.condition}-{one.reason}")
def test_the_registry_says_of_each_reason_which_condition_stands_beside_it(entry):
    without = entry.condition != "Ready" or entry.status == "True" or entry.reason == "Paused"
    assert (entry.kstatus == "none") is without


@pytest.mark.parametrize("entry", READY, ids=lambda one: one.reason)
def test_what_stands_beside_ready_says_the_same_and_is_true(entry):
    found = _conditions(entry)
    beside = [one for one in found if one["type"] in OF_KSTATUS]
    assert [one["type"] for one in beside] == ([] if entry.kstatus == "none" else [entry.kstatus])
    assert found[0]["type"] == "Ready"
    assert all((one["status"], one["observedGeneration"]) == ("True", 3) for one in beside)
    assert all((one["reason"], one["message"]) == (entry.reason, "why") for one in beside)


def test_it_goes_when_ready_is_true_again_and_keeps_its_time_until_then():
    waiting, dead_end, well = (
        next(one for one in READY if one.reason == reason) for reason in ("ClusterNotReady", "InvalidSpec", "Applied")
    )
    first = [{**one, "lastTransitionTime": "2026-01-01T00:00:00Z"} for one in _conditions(waiting)]
    assert [(one["type"], one["lastTransitionTime"]) for one in _conditions(waiting, first)][1] == (
        "Reconciling",
        "2026-01-01T00:00:00Z",
    )
    assert [one["type"] for one in _conditions(dead_end, first)] == ["Ready", "Stalled", "Traffic"]
    assert [one["type"] for one in _conditions(well, first)] == ["Ready", "Traffic"]


def _resource(kind: str, name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "kwitness.dev/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


def test_every_kind_says_whether_it_waits_or_is_at_a_dead_end(api, namespace, start_operator):
    nowhere = {"clusterRef": {"name": "main"}}
    key = {"name": "tenant", "description": "Whose record it is.", "type": "String"}
    selected = {"selector": {"matchLabels": {"app": "orders"}}, "interceptors": [{"name": "a", "type": "Audit"}]}
    apply(
        api,
        cluster("silent", namespace, "127.0.0.1:1"),
        subscription("a", namespace),
        collector("a", namespace),
        gateway("a", namespace),
        analytics_job("a", namespace),
        analytics_job("large", namespace, executors={"instances": 64}),
        _resource("InterceptorProfile", "a", namespace, **nowhere, **selected),
        _resource("HeaderRegistry", "a", namespace, keys=[key]),
        _resource("HeaderRegistry", "b", namespace, keys=[key]),
    )
    start_operator()
    expected = {
        "KafkaCluster/silent": "Reconciling Unreachable",
        "ClientMetricsSubscription/a": "Reconciling ClusterNotReady",
        "TelemetryCollector/a": "Reconciling ClusterNotReady",
        "ObserverDeployment/a": "Reconciling ClusterNotReady",
        "AnalyticsJob/a": "Reconciling ClusterNotReady",
        "AnalyticsJob/large": "Stalled LimitExceeded",
        "InterceptorProfile/a": "Reconciling InjectorMissing",
        "HeaderRegistry/b": "Reconciling KeyTaken",
    }
    assert {one.partition("/")[0] for one in expected} == {one.kind for one in KINDS}
    assert eventually(lambda: _beside(api, namespace), lambda found: found == expected)
    # What was waited for is there, and nothing stands beside Ready any more.
    api.objects.delete("headerregistries", "a", namespace=namespace)
    api.kubectl("wait", "--for=condition=Ready", "headerregistries/b", "-n", namespace, "--timeout=60s")
    assert "HeaderRegistry/b" not in _beside(api, namespace)


def _beside(api: ApiServer, namespace: str) -> dict[str, str]:
    found = {}
    for info in KINDS:
        for body in api.objects.items(info.plural, namespace):
            for one in body.get("status", {}).get("conditions", ()):
                if one["type"] in OF_KSTATUS:
                    found[f"{info.kind}/{body['metadata']['name']}"] = f"{one['type']} {one['reason']}"
    return found
