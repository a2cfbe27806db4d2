"""The demo on a cluster that belongs to somebody: it takes nothing that it did not make, and removes nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kwitness.demo import __main__ as demo
from kwitness.demo import namespaces, releases, removal, targets
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.platform import APPS, NAMESPACE
from kwitness.demo.progress import DemoError
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import silent

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(empty_server: ApiServer) -> DemoCluster:
    """A cluster of somebody else's."""
    return DemoCluster(empty_server.kubeconfig)


def test_a_namespace_of_somebody_elses_is_not_taken(cluster: DemoCluster) -> None:
    cluster.kubectl("create", "namespace", APPS)

    with pytest.raises(DemoError, match=f"namespace {APPS}: there is one already, and no demo made it"):
        namespaces.ensure(cluster, NAMESPACE, APPS)

    assert not namespaces.is_ours(cluster.find("namespace", APPS))
    assert cluster.find("namespace", NAMESPACE) == {}


def test_a_second_demo_goes_on_in_the_namespaces_of_the_first(cluster: DemoCluster) -> None:
    namespaces.ensure(cluster, NAMESPACE, APPS)
    namespaces.ensure(cluster, NAMESPACE, APPS)

    assert namespaces.is_ours(cluster.find("namespace", NAMESPACE))


def test_an_installation_that_is_there_keeps_its_definitions_and_its_namespace(
    cluster: DemoCluster, tmp_path: Path
) -> None:
    # Given
    other = ("install", "kwitness", chart.CHART, "--namespace", "platform", "--create-namespace")
    chart.helm(f"--kubeconfig={cluster.kubeconfig}", *other)
    before = releases.definitions(cluster, of="platform/kwitness")
    for name in (releases.PRODUCT, releases.DEMO):
        (tmp_path / f"{name}.yaml").write_text("{}")
    namespaces.ensure(cluster, NAMESPACE, APPS, observed={APPS})

    # When
    releases.install(cluster, tmp_path)
    releases.uninstall(cluster)
    cluster.kubectl("label", "namespace", NAMESPACE, APPS, f"{namespaces.OWNER}-")  # nobody here deletes namespaces
    said: list[str] = []
    removal.remove_from(cluster, said.append)

    # Then
    assert len(before) == 7
    assert releases.definitions(cluster, of="platform/kwitness") == before
    assert cluster.find("deployment", "kwitness-operator", "platform")
    assert said == [f"namespace {name} was not made by the demo and stays" for name in (APPS, NAMESPACE)]


def test_a_namespace_that_no_demo_made_stays_when_the_demo_goes(cluster: DemoCluster) -> None:
    chart.helm(
        f"--kubeconfig={cluster.kubeconfig}",
        *("install", "kwitness", chart.CHART, "--namespace", NAMESPACE, "--create-namespace"),
    )
    resource = {"apiVersion": "kwitness.dev/v1beta1", "kind": "KafkaCluster", "metadata": {"name": "orders"}}
    cluster.await_definitions()
    spec = {"bootstrapServers": ["kafka.example.org:9092"]}
    cluster.apply(json.dumps({**resource, "spec": spec}), namespace=NAMESPACE)
    said: list[str] = []

    removal.remove_from(cluster, said.append)

    assert "namespace kwitness was not made by the demo and stays" in said
    assert cluster.find("kafkacluster", "orders", NAMESPACE)
    assert cluster.find("deployment", "kwitness-operator", NAMESPACE)


def kubeconfig(file: Path, current: str, **servers: str) -> Path:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": current,
        "clusters": [{"name": name, "cluster": {"server": server}} for name, server in servers.items()],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "me"}} for name in servers],
        "users": [{"name": "me", "user": {"token": "t"}}],
    }
    file.write_text(json.dumps(config))
    return file


def test_the_current_context_is_taken_from_any_of_several_files_and_a_later_switch_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kubeconfig(tmp_path / "first", "mine", mine="https://mine.example:6443")
    second = kubeconfig(tmp_path / "second", "", theirs="https://theirs.example:6443")
    monkeypatch.setenv("KUBECONFIG", f"{first}:{second}")
    said: list[str] = []

    cluster = targets.current_cluster(tmp_path, said.append)
    kubeconfig(first, "theirs", mine="https://mine.example:6443")

    assert said == ["mine, https://mine.example:6443"]
    assert "mine.example" in cluster.kubeconfig.read_text()
    assert "theirs.example" not in cluster.kubeconfig.read_text()
    assert cluster.kubeconfig.stat().st_mode & 0o077 == 0


def test_without_a_kubeconfig_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "nowhere"))

    with pytest.raises(DemoError, match=r"needs a kubeconfig with a current context, and .*nowhere has none"):
        targets.current_cluster(tmp_path, silent)


def test_what_fails_is_said_in_a_line_and_not_as_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "nowhere"))
    monkeypatch.setattr("sys.argv", ["demo", "platform", "--cluster", "current", "--registry", "registry.example"])

    assert demo.main() == 1

    said = capsys.readouterr().err
    assert said.strip().splitlines()[0].startswith("failed: cluster: CLUSTER=current needs a kubeconfig")
    assert "Traceback" not in said


def test_a_cluster_that_is_not_ours_needs_a_registry(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["demo", "up", "--cluster", "current"])

    with pytest.raises(SystemExit):
        demo.main()

    assert "REGISTRY=..." in capsys.readouterr().err


def node(name: str, *, ready: str = "True", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "labels": {targets.HOSTNAME: name}}
    return {"metadata": metadata, "spec": spec, "status": {"conditions": [{"type": "Ready", "status": ready}]}}


TAINT = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("nodes", "placement"),
    [
        ([node("only")], {}),
        ([node("a"), node("b")], {targets.HOSTNAME: "a"}),
        ([node("control", taints=[TAINT]), node("worker")], {targets.HOSTNAME: "worker"}),
        ([node("down", ready="Unknown"), node("cordoned", unschedulable=True), node("up")], {targets.HOSTNAME: "up"}),
        ([node("a", taints=[{"key": "old", "effect": "PreferNoSchedule"}]), node("b")], {targets.HOSTNAME: "a"}),
    ],
)
def test_of_several_nodes_one_is_chosen_for_those_that_share_a_volume(
    nodes: list[dict[str, Any]], placement: dict[str, str]
) -> None:
    assert targets.placement_on(nodes) == placement


def test_a_cluster_without_a_node_for_pods_is_refused() -> None:
    with pytest.raises(DemoError, match="none of its 1 nodes is ready and without taints"):
        targets.placement_on([node("control", taints=[TAINT])])
