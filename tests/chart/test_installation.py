"""Install, upgrade, uninstall, install again: resources survive all of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import CommandFailedError

pytestmark = pytest.mark.slow

NAMESPACE = "kwitness"
SUBSCRIPTION: dict[str, Any] = {
    "apiVersion": "kwitness.dev/v1beta1",
    "kind": "ClientMetricsSubscription",
    "metadata": {"name": "latency", "namespace": NAMESPACE},
    "spec": {"clusterRef": {"name": "main"}, "metrics": ["org.apache.kafka.producer."], "interval": "1m"},
}


@pytest.fixture
def server(empty_server: ApiServer) -> ApiServer:
    return empty_server


def release(server: ApiServer, *arguments: str | Path) -> str:
    return chart.helm(f"--kubeconfig={server.kubeconfig}", *arguments)


def install(server: ApiServer, name: str, *options: str, source: Path = chart.CHART) -> str:
    return release(server, "install", name, source, "--namespace", NAMESPACE, "--create-namespace", *options)


def apply(server: ApiServer, resource: dict[str, Any]) -> None:
    server.await_definitions()
    server.kubectl("apply", "--filename=-", input=json.dumps(resource))


def uid(server: ApiServer) -> str:
    return server.kubectl("get", "kcms", "latency", f"--namespace={NAMESPACE}", "--output=jsonpath={.metadata.uid}")


def test_resources_survive_an_upgrade_an_uninstall_and_another_name(server: ApiServer) -> None:
    install(server, "kwitness")
    apply(server, SUBSCRIPTION)
    born = uid(server)

    release(server, "upgrade", "kwitness", chart.CHART, "--namespace", NAMESPACE, "--set", "limits.minInterval=1s")
    assert uid(server) == born

    release(server, "uninstall", "kwitness", "--namespace", NAMESPACE)
    assert uid(server) == born
    assert server.kubectl("get", "deployments,roles,serviceaccounts", f"--namespace={NAMESPACE}", "--output=name") == ""

    with pytest.raises(CommandFailedError, match="invalid ownership metadata"):
        install(server, "another")
    install(server, "another", "--take-ownership")
    assert uid(server) == born


def test_an_upgrade_brings_new_fields_of_the_definitions(server: ApiServer, tmp_path: Path) -> None:
    # Helm never upgrades a folder crds/; ours are templates.
    older = without_field(tmp_path, "clientmetricssubscriptions", "suspend")
    install(server, "kwitness", source=older)
    apply(server, SUBSCRIPTION)
    born = uid(server)
    newer = {**SUBSCRIPTION, "spec": {**SUBSCRIPTION["spec"], "suspend": True}}
    with pytest.raises(CommandFailedError, match="suspend"):
        apply(server, newer)

    release(server, "upgrade", "kwitness", chart.CHART, "--namespace", NAMESPACE)

    apply(server, newer)
    assert uid(server) == born


def test_two_installations_live_side_by_side(server: ApiServer) -> None:
    install(server, "kwitness")

    release(
        server,
        *("install", "kwitness", chart.CHART, "--namespace", "second", "--create-namespace"),
        *("--set", "crds.enabled=false"),
    )

    found = server.kubectl("get", "deployments", "--all-namespaces", "--output=jsonpath={.items[*].metadata.namespace}")
    assert found.split() == [NAMESPACE, "second"]


def test_definitions_of_a_release_of_their_own_stay_at_a_rollback(server: ApiServer, tmp_path: Path) -> None:
    own = "charts/kwitness-crds"
    older = without_field(tmp_path, "clientmetricssubscriptions", "suspend")
    install(server, "kwitness-crds", source=older / own)
    install(server, "kwitness", "--set", "crds.enabled=false")
    release(server, "upgrade", "kwitness-crds", chart.CHART / own, "--namespace", NAMESPACE)
    release(
        server,
        *("upgrade", "kwitness", chart.CHART, "--namespace", NAMESPACE),
        *("--set", "crds.enabled=false,limits.minInterval=1s"),
    )
    newer = {**SUBSCRIPTION, "spec": {**SUBSCRIPTION["spec"], "suspend": True}}
    apply(server, newer)

    release(server, "rollback", "kwitness", "--namespace", NAMESPACE)

    found = server.kubectl("get", "kcms", "latency", f"--namespace={NAMESPACE}", "--output=jsonpath={.spec.suspend}")
    assert found == "true"
    release(server, "uninstall", "kwitness-crds", "--namespace", NAMESPACE)
    assert uid(server)


def without_field(folder: Path, plural: str, field: str) -> Path:
    """A copy of the chart as it was before `field` came to a spec."""
    copy = folder / "kwitness"
    shutil.copytree(chart.CHART, copy)
    template = f"charts/kwitness-crds/templates/{plural}.yaml"
    file = copy / template
    rendered = chart.helm("template", copy, "--kube-version", chart.KUBERNETES_VERSION, "--show-only", template)
    definition = yaml.safe_load(rendered)
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["properties"]["spec"]["properties"][field]
    text = yaml.safe_dump(definition)
    assert "{{" not in text
    file.write_text(text)
    return copy
