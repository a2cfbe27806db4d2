"""The chart on a real node, in a namespace that enforces Pod Security `restricted`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kwitness.e2e import chart
from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.images import builder
from kwitness.images.image_recipes import DEVELOPED

from tests.eventually import eventually

pytestmark = pytest.mark.node
NAMESPACE = "chart-test"
RELEASE = "chart-test"
HELM_PATIENCE = "--timeout=30m"
"""Helm waits by a clock and sees nothing that moves."""


@pytest.fixture(scope="module")
def image_values(node: KubernetesNode, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """Options of Helm that name the images; definitions that somebody else brought are left to him."""
    built = builder.build_all({"operator": DEVELOPED["operator"]})
    node.load_images(built.values())
    values = tmp_path_factory.mktemp("chart") / "images.json"
    values.write_text(builder.helm_values(built))
    return ["--values", values, "--set", f"crds.enabled={'false' if definitions(node) else 'true'}"]


@pytest.fixture(scope="module")
def release(node: KubernetesNode, image_values: list[str | Path]) -> Iterator[KubernetesNode]:
    """The chart with its default values, installed; everything it made is removed."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}
    node.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(namespace))
    before = definitions(node)
    try:
        helm(node, "install", RELEASE, chart.CHART, *image_values, "--wait", HELM_PATIENCE)
        yield node
    finally:
        helm(node, "uninstall", RELEASE, "--ignore-not-found", "--wait")
        node.kubectl("delete", "namespace", NAMESPACE)
        if new := sorted(definitions(node) - before):
            node.kubectl("delete", *new)


def helm(node: KubernetesNode, *arguments: str | Path) -> str:
    return chart.helm(f"--kubeconfig={node.kubeconfig}", f"--namespace={NAMESPACE}", *arguments)


def definitions(node: KubernetesNode) -> set[str]:
    return {name for name in node.kubectl("get", "crd", "--output=name").split() if name.endswith(".kwitness.dev")}


def test_helm_test_succeeds(release: KubernetesNode) -> None:
    answer = helm(release, "test", RELEASE, HELM_PATIENCE)

    assert "Phase:          Succeeded" in answer


def test_the_operator_names_its_installation_once(release: KubernetesNode) -> None:
    # Given
    found = ("get", "configmap", "kwitness-installation", f"--namespace={NAMESPACE}", "--output=jsonpath={.data}")
    before = release.kubectl(*found)

    # When
    release.kubectl("rollout", "restart", "deployment/kwitness-operator", f"--namespace={NAMESPACE}")
    release.kubectl("rollout", "status", "deployment/kwitness-operator", f"--namespace={NAMESPACE}")

    # Then
    assert json.loads(before)["installation"]
    assert release.kubectl(*found) == before


def test_the_operator_is_refused_nothing_it_asks_for(release: KubernetesNode) -> None:
    log = release.kubectl("logs", "deployment/kwitness-operator", f"--namespace={NAMESPACE}")

    assert "orbidden" not in log
    assert '"level": "ERROR"' not in log


CLUSTER = {
    "apiVersion": "kwitness.dev/v1beta1",
    "kind": "KafkaCluster",
    "metadata": {"name": "orders", "namespace": NAMESPACE},
    "spec": {"bootstrapServers": ["nobody.invalid:9092"]},
}


def ready_reason(node: KubernetesNode) -> str:
    path = '{.status.conditions[?(@.type=="Ready")].reason}'
    return node.kubectl("get", "kfc", "orders", f"--namespace={NAMESPACE}", f"--output=jsonpath={path}")


def wait_until_looked_at(node: KubernetesNode, generation: int) -> None:
    status = partial(node.get, "kfc", "orders", f"--namespace={NAMESPACE}")
    eventually(lambda: status().get("status", {}), lambda now: now.get("observedGeneration") == generation)


def test_a_live_resource_survives_an_upgrade_an_uninstall_and_an_installation_that_goes_on_with_it(
    release: KubernetesNode, image_values: list[str | Path]
) -> None:
    # Given
    release.kubectl("apply", "--filename=-", input=json.dumps(CLUSTER))
    wait_until_looked_at(release, 1)
    born = release.get("kfc", "orders", f"--namespace={NAMESPACE}")["metadata"]["uid"]

    # When
    changed = ("--set", "limits.minInterval=1s", "--set", "operator.resyncSeconds=5")
    helm(release, "upgrade", RELEASE, chart.CHART, *image_values, *changed, "--wait", HELM_PATIENCE)
    change(release, ["other.invalid:9092"])
    wait_until_looked_at(release, 2)
    helm(release, "uninstall", RELEASE, "--wait")
    operators = ("pods", "--selector=app.kubernetes.io/component=operator", f"--namespace={NAMESPACE}")
    eventually(lambda: release.get(*operators)["items"], lambda pods: not pods)
    change(release, ["third.invalid:9092"])
    without_operator = release.get("kfc", "orders", f"--namespace={NAMESPACE}")
    helm(release, "install", RELEASE, chart.CHART, *image_values, "--wait", HELM_PATIENCE)
    wait_until_looked_at(release, 3)

    # Then
    found = release.get("kfc", "orders", f"--namespace={NAMESPACE}")
    assert found["metadata"]["uid"] == without_operator["metadata"]["uid"] == born
    assert without_operator["status"]["observedGeneration"] == 2
    assert "finalizers" not in found["metadata"]
    assert ready_reason(release) == "Unreachable"


def change(node: KubernetesNode, servers: list[str]) -> None:
    patch = json.dumps({"spec": {"bootstrapServers": servers}})
    node.kubectl("patch", "kfc", "orders", f"--namespace={NAMESPACE}", "--type=merge", "--patch", patch)
