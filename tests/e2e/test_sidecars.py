"""Observers beside clients: whose traffic they tell, which pods have none, and a policy that refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.contracts.injections import INJECT, LEFT_OUT, OBSERVER, OBSERVER_CONTAINER
from kwitness.demo import up, waiting
from kwitness.demo.platform import (
    APPS,
    INTERCEPTORS,
    NAMESPACE,
    SIDECAR_CLIENT,
    SIDECAR_WORKLOAD,
    SIDECARS,
    Platform,
)

from tests.e2e import another_client, subscriptions
from tests.e2e.client_pods import labelled, log_of, pods_of
from tests.e2e.eventually import eventually
from tests.e2e.workloads import wait_until_ready

pytestmark = pytest.mark.needs(up.sidecars, up.interceptors)

KIND = "observerdeployment"
BOUNDED = "bounded-producer"


def status(platform: Platform) -> dict[str, Any]:
    return dict(subscriptions.found(platform, SIDECARS, KIND)["status"])


def test_traffic_of_a_pod_with_an_observer_is_told_by_namespace_workload_and_pod(platform: Platform) -> None:
    [pod] = pods_of(platform, SIDECAR_WORKLOAD)
    assert pod["metadata"]["annotations"][OBSERVER] == f"{NAMESPACE}/{SIDECARS}"
    place = f'k8s_namespace="{APPS}",k8s_workload="{SIDECAR_WORKLOAD}",k8s_pod="{pod["metadata"]["name"]}"'
    client = f'client_id="{SIDECAR_CLIENT}",client_software_name="confluent-kafka-python"'
    records = f'kafka_client_records_total{{{place},{client},api="Produce",topic="demo.orders"}}'
    # A collector that was restarted by another test counts from 0, so only what comes on top says something.
    before = platform.latest(records)

    eventually(lambda: platform.latest(records), lambda now: now > before)

    log = log_of(platform, SIDECAR_WORKLOAD)
    assert "connected" in log
    assert "not delivered" not in log
    # The application speaks plaintext within its pod, and the observer TLS to the brokers.
    assert platform.total('kafka_client_connections{source="broker",listener="SSL"}') > 0


def test_the_status_names_pods_without_an_observer_and_how_to_cover_them(platform: Platform) -> None:
    def covered() -> dict[str, Any]:
        return waiting.condition(subscriptions.found(platform, SIDECARS, KIND), "Covered") or {}

    line = f"kubectl rollout restart deployment/python-producer --namespace {APPS}"
    with (
        labelled(platform, "python-producer", observed="true"),
        labelled(platform, "python-consumer", observed="true", **{INJECT: "false"}) as opted_out,
    ):
        eventually(covered, lambda now: line in now.get("message", "") and opted_out in now["message"])
        pods = status(platform)["pods"]

    assert (pods["selected"], pods["observed"], pods["missed"]) == (3, 1, 1)
    assert pods["leftOut"] == [{"reason": "OptedOut", "pods": 1, "example": f"{APPS}/{opted_out}"}]
    assert pods["restart"] == [line]
    eventually(covered, lambda now: now["status"] == "True")


def refusing() -> list[dict[str, Any]]:
    """A quota that asks for a limit on CPU, which an observer has not, of the pods of one priority class alone."""
    priority = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": BOUNDED},
        "value": 1,
    }
    scope = {"scopeName": "PriorityClass", "operator": "In", "values": [BOUNDED]}
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": BOUNDED, "namespace": APPS},
        "spec": {"hard": {"limits.cpu": "2"}, "scopeSelector": {"matchExpressions": [scope]}},
    }
    return [priority, quota]


def bounded_producer(platform: Platform) -> dict[str, Any]:
    """The demo's client with an observer, under another name and that quota."""
    deployment = another_client.deployment(platform, BOUNDED)
    spec = deployment["spec"]["template"]["spec"]
    spec["priorityClassName"] = BOUNDED
    spec["containers"][0]["resources"]["limits"]["cpu"] = "500m"
    return deployment


@pytest.fixture
def refused(platform: Platform) -> Iterator[None]:
    """A Deployment whose pods are refused with an observer; afterwards the demo's resources act again.

    Who asked for too much is not in the refusal, so it stops the demo's interceptors, too.
    """
    platform.cluster.apply_objects(*refusing())
    platform.cluster.apply_objects(bounded_producer(platform))
    try:
        yield
    finally:
        for kind in ("deployment", "resourcequota", "priorityclass"):
            platform.cluster.delete(kind, BOUNDED, namespace=APPS)
        for kind, name in ((KIND, SIDECARS), ("interceptorprofile", INTERCEPTORS)):
            before = subscriptions.found(platform, name, kind)["spec"].get("window")
            for window in ("11s", before):
                subscriptions.change(platform, kind, name, window=window)
            subscriptions.reason_becomes(platform, name, "Injecting", kind)


@pytest.mark.usefixtures("refused")
def test_a_policy_that_refuses_pods_because_of_the_observer_stops_injection_and_they_start_without(
    platform: Platform,
) -> None:
    wait_until_ready(platform, "deployment", BOUNDED, APPS)
    subscriptions.reason_becomes(platform, SIDECARS, "AdmissionRefused", KIND)

    assert status(platform)["refusedIn"] == [APPS]
    [pod] = pods_of(platform, BOUNDED)
    assert pod["metadata"]["annotations"][LEFT_OUT] == f"{NAMESPACE}/{SIDECARS}=AdmissionRefused"
    assert OBSERVER_CONTAINER not in [one["name"] for one in pod["spec"].get("initContainers", [])]
    eventually(lambda: log_of(platform, BOUNDED), lambda log: "connected" in log)
    # Pods that have an observer keep it.
    assert platform.cluster.find("deployment", SIDECAR_WORKLOAD, APPS)["status"]["readyReplicas"] == 1
