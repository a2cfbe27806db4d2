"""TelemetryCollectors on a real API server: what cannot be changed."""

from __future__ import annotations

from typing import Any

from kwitness.e2e.api_server import ApiServer

from tests.contracts.resource_cases import resource

PATH = "/apis/kwitness.dev/v1beta1/namespaces/default/telemetrycollectors"


def answers_to(server: ApiServer, *changes: dict[str, Any]) -> list[Any]:
    """Create the collector with everything, change its spec by merge patches, and delete it."""
    merge_patch = {"Content-Type": "application/merge-patch+json"}
    server.request("POST", PATH, json=resource("TelemetryCollector", "everything"))
    answers = [server.request("PATCH", f"{PATH}/example", json={"spec": spec}, headers=merge_patch) for spec in changes]
    server.request("DELETE", f"{PATH}/example")
    return answers


def test_the_cluster_whose_state_a_collector_keeps_cannot_be_changed(api_with_crds: ApiServer) -> None:
    (answer,) = answers_to(api_with_crds, {"clusterRef": {"name": "other"}})

    assert answer.status_code == 422
    assert "spec.clusterRef: Invalid value" in answer.json()["message"]
    assert "cannot be changed: make another TelemetryCollector" in answer.json()["message"]


def test_the_class_of_a_load_balancer_can_be_changed_by_way_of_another_type_alone(api_with_crds: ApiServer) -> None:
    without = dict.fromkeys(("loadBalancerClass", "loadBalancerSourceRanges", "externalTrafficPolicy"))
    answers = answers_to(
        api_with_crds,
        {"service": {"loadBalancerClass": "example.org/other"}},
        {"service": {"type": "ClusterIP", **without}},
        {"service": {"type": "LoadBalancer", "loadBalancerClass": "example.org/other"}},
    )

    assert [answer.status_code for answer in answers] == [422, 200, 200]
    assert "loadBalancerClass cannot be changed while type is LoadBalancer" in answers[0].json()["message"]
