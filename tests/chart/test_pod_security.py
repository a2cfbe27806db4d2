"""Every pod of the charts is admitted by a namespace that enforces Pod Security `restricted`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer

NAMESPACE = "restricted"


@pytest.fixture(scope="module")
def restricted(api_server: ApiServer) -> ApiServer:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}
    api_server.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(namespace))
    # Admission looks the class up.
    priority = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "important"},
        "value": 1,
    }
    api_server.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(priority))
    return api_server


@pytest.fixture(params=["kwitness", "kwitness-demo"])
def manifests(
    request: pytest.FixtureRequest, everything: dict[str, Any], demo_everything: dict[str, Any]
) -> list[chart.Manifest]:
    """All that a chart can make."""
    if request.param == "kwitness":
        return chart.render(everything)
    return chart.render(demo_everything, chart=chart.DEMO_CHART)


def test_admits_every_pod(
    request: pytest.FixtureRequest, restricted: ApiServer, manifests: list[chart.Manifest]
) -> None:
    found = list(chart.pods(manifests))

    assert len(found) == {"kwitness": 4, "kwitness-demo": 2}[request.node.callspec.params["manifests"]]
    for pod in found:
        answer = dry_run(restricted, pod)
        assert answer.status_code == 201, answer.text


def test_would_refuse_a_pod_that_is_not_restricted(restricted: ApiServer) -> None:
    pod = next(chart.pods(chart.render()))
    del pod["spec"]["containers"][0]["securityContext"]

    answer = dry_run(restricted, pod)

    assert answer.status_code == 403
    assert "PodSecurity" in answer.text


def test_every_container_has_a_read_only_root_and_bounded_memory(manifests: list[chart.Manifest]) -> None:
    for pod in chart.pods(manifests):
        for container in pod["spec"]["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert "memory" in container["resources"]["limits"]
            assert "cpu" in container["resources"]["requests"]


def dry_run(server: ApiServer, pod: chart.Manifest) -> Any:
    # Volumes of Secrets and ConfigMaps are not looked up at admission.
    path = f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All&fieldValidation=Strict"
    return server.request("POST", path, json=pod)
