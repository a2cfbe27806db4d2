"""The chart on a real node, in a namespace that enforces Pod Security `restricted`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e import chart, images
from kwitness.e2e.node import KubernetesNode

pytestmark = pytest.mark.node
NAMESPACE = "chart-test"
RELEASE = "chart-test"


@pytest.fixture(scope="module")
def release(node: KubernetesNode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubernetesNode]:
    """The chart with its default values, installed; everything it made is removed."""
    built = images.build_all(names=["operator"])
    node.load_images(built.values())
    values = tmp_path_factory.mktemp("chart") / "images.json"
    values.write_text(images.helm_values(built))
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}
    node.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(namespace))
    before = definitions(node)
    brought = [] if before else ["--set", "crds.enabled=true"]
    options = brought or ["--set", "crds.enabled=false"]
    try:
        helm(node, "install", RELEASE, chart.CHART, "--values", values, *options, "--wait", "--timeout=180s")
        yield node
    finally:
        helm(node, "uninstall", RELEASE, "--ignore-not-found", "--wait")
        node.kubectl("delete", "namespace", NAMESPACE, "--wait", "--timeout=120s")
        if new := sorted(definitions(node) - before):
            node.kubectl("delete", *new)


def helm(node: KubernetesNode, *arguments: str | Path) -> str:
    return chart.helm(f"--kubeconfig={node.kubeconfig}", f"--namespace={NAMESPACE}", *arguments)


def definitions(node: KubernetesNode) -> set[str]:
    return {name for name in node.kubectl("get", "crd", "--output=name").split() if name.endswith(".kwitness.dev")}


def test_helm_test_succeeds(release: KubernetesNode) -> None:
    answer = helm(release, "test", RELEASE, "--timeout=120s")

    assert "Phase:          Succeeded" in answer


def test_the_operator_names_its_installation_once(release: KubernetesNode) -> None:
    # Given
    found = ("get", "configmap", "kwitness-installation", f"--namespace={NAMESPACE}", "--output=jsonpath={.data}")
    before = release.kubectl(*found)

    # When
    release.kubectl("rollout", "restart", "deployment/kwitness-operator", f"--namespace={NAMESPACE}")
    release.kubectl("rollout", "status", "deployment/kwitness-operator", f"--namespace={NAMESPACE}", "--timeout=120s")

    # Then
    assert json.loads(before)["installation"]
    assert release.kubectl(*found) == before


def test_the_operator_is_refused_nothing_it_asks_for(release: KubernetesNode) -> None:
    log = release.kubectl("logs", "deployment/kwitness-operator", f"--namespace={NAMESPACE}")

    assert "orbidden" not in log
    assert '"level": "ERROR"' not in log
