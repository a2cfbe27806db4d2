"""Images for a cluster that is not ours go through a registry: a real one, in memory."""

from __future__ import annotations

import contextlib
import json
import subprocess
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e import chart
from kwitness.e2e.binaries import PAUSE, built
from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.images import builder, container_engine
from kwitness.images.commands import CommandFailedError
from kwitness.images.image_recipes import DEVELOPED
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import eventually
from tests.registries import registry_on

pytestmark = pytest.mark.node

NAMESPACE = "pulling"


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    container_engine.ensure_engine()
    with registry_on() as address:
        yield address


@contextlib.contextmanager
def smallest_image(context: Path, name: str) -> Iterator[str]:
    """The smallest image there is; its bytes differ by its name."""
    (context / "pause").write_bytes((built(PAUSE) / "pause").read_bytes())
    (context / "Dockerfile").write_text(f"FROM scratch\nCOPY pause /pause\nENV NAME={name}\n")
    container_engine.build(context, name)
    yield name
    container_engine.docker("rmi", name)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with smallest_image(tmp_path_factory.mktemp("context"), "kwitness/pushed:1") as name:
        yield name


def manifest(registry: str, name: str) -> tuple[str, dict[str, Any]]:
    """Return digest and content of what the registry has under a tag or digest."""
    address = f"http://{registry}/v2/team/kwitness/pushed/manifests/{name}"
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.headers["Docker-Content-Digest"], json.load(answer)


def test_a_pushed_image_is_in_the_registry_and_leaves_no_second_name_here(registry: str, image: str) -> None:
    pushed = builder.push_all({"pushed": image}, f"{registry}/team")

    digest, content = manifest(registry, "1")
    assert content["layers"]
    assert pushed == {"pushed": f"{registry}/team/kwitness/pushed:1@{digest}"}
    assert not container_engine.image_exists(f"{registry}/team/kwitness/pushed:1")
    assert container_engine.image_exists(image)


def test_the_chart_names_what_was_pushed_though_its_tag_moves(registry: str, image: str, tmp_path: Path) -> None:
    # Given
    pushed = builder.push_all({"operator": image}, f"{registry}/team")
    values = json.loads(builder.helm_values(pushed))
    before = manifest(registry, "1")

    # When
    with smallest_image(tmp_path, "kwitness/pushed:other") as other:
        moved = f"{registry}/team/kwitness/pushed:1"
        container_engine.docker("tag", other, moved)
        container_engine.push(moved)
        container_engine.docker("rmi", moved)

    # Then
    assert manifest(registry, "1") != before
    (operator,) = [pod for pod in chart.pods(chart.render(values)) if pod["metadata"]["name"] == "kwitness-operator"]
    repository, _, digest = operator["spec"]["containers"][0]["image"].partition("@")
    assert repository == f"{registry}/team/kwitness/pushed"
    assert manifest(registry, digest) == before


def test_a_registry_that_does_not_answer_is_named(image: str) -> None:
    with pytest.raises(CommandFailedError, match=r"127\.0\.0\.1:1/"):
        builder.push_all({"pushed": image}, "127.0.0.1:1")

    assert not container_engine.image_exists(f"127.0.0.1:1/{image}")


def test_the_chart_runs_what_the_registry_has(node: KubernetesNode, tmp_path: Path) -> None:
    # Given
    gateway = container_engine.docker(
        "exec", node.node_name, "sh", "-c", "ip route | awk '/^default/ {print $3}'"
    ).strip()
    values = tmp_path / "images.json"
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}
    helm = (f"--kubeconfig={node.kubeconfig}", f"--namespace={NAMESPACE}")
    with registry_on(gateway) as address, reached_from(node, address, gateway):
        pushed = builder.push_all(builder.build_all({"operator": DEVELOPED["operator"]}), f"{address}/team")
        values.write_text(builder.helm_values(pushed))
        node.apply(json.dumps(namespace))
        try:
            # When
            options = ("--values", values, "--set", "crds.enabled=false")
            chart.helm(*helm, "install", NAMESPACE, chart.CHART, *options)

            # Then
            events = partial(node.kubectl, "get", "events", f"--namespace={NAMESPACE}")
            operator = json.loads(values.read_text())["images"]["operator"]
            image = f"{operator['repository']}@{operator['digest']}"
            eventually(events, lambda seen: has_started(seen, image), still_s=120)
        finally:
            chart.helm(*helm, "uninstall", NAMESPACE, "--ignore-not-found", "--wait")
            node.kubectl("delete", "namespace", NAMESPACE)


def has_started(events: str, image: str) -> bool:
    return f'Successfully pulled image "{image}"' in events and "Started container" in events


@contextlib.contextmanager
def reached_from(node: KubernetesNode, address: str, gateway: str) -> Iterator[None]:
    """The registry under the same name inside the node, where containerd too trusts loopback without TLS."""
    port = address.rpartition(":")[2]
    inside = ["socat", f"TCP-LISTEN:{port},fork,reuseaddr,bind=127.0.0.1", f"TCP:{gateway}:{port}"]
    with subprocess.Popen(["docker", "exec", node.node_name, *inside]) as forwarder:
        try:
            yield
        finally:
            container_engine.docker("exec", node.node_name, "pkill", "-f", f"TCP-LISTEN:{port}")
            wait_for_exit(forwarder)
