"""Every command of README, tutorial, guides and uninstall that speaks to Kubernetes is run on a real API server.

Nothing runs pods there, so a command that waits for one is not among them: the demo and its suite do that.
"""

from __future__ import annotations

import json
import re

import pytest
import yaml

from kwitness.demo import manifests, releases
from kwitness.demo.cluster import DemoCluster
from kwitness.e2e.api_server import ApiServer
from kwitness.images.image_parts import REPOSITORY
from kwitness.jobs import show

from tests.chart.reader import Reader

pytestmark = pytest.mark.slow

GROUP = "monitoring.coreos.com"
MONITORING = ("ServiceMonitor", "PodMonitor", "PrometheusRule")


def test_installation_by_the_readme(reader: Reader) -> None:
    (installation,) = reader.follows("README.md")

    assert installation.startswith("helm install kwitness charts/kwitness")
    (role,) = re.findall(r"secretNames\.kwitness=\{([^}]+)\}", installation)
    allowed = reader.types(
        "kubectl get roles --namespace kwitness --output jsonpath='{.items[*].rules[*].resourceNames}'"
    )
    assert all(name in allowed for name in role.split(","))


def test_installation_by_its_page(reader: Reader) -> None:
    typed = reader.follows("docs/guides/install.md")

    assert typed[0].startswith("helm install kwitness charts/kwitness")
    assert reader.types("kubectl get kafkacluster orders --namespace kwitness --output name").strip()


@pytest.mark.parametrize("sections", [("Amazon MSK with SCRAM", "The gateway, for both"), ("Confluent Cloud",)])
def test_recipes_for_managed_kafka(reader: Reader, sections: tuple[str, ...]) -> None:
    page = "docs/guides/managed-kafka-recipes.md"
    for section in ("Before you begin", *sections):
        assert reader.follows(page, section)

    assert reader.types("kubectl get kafkacluster orders --namespace kwitness --output name").strip()


def test_the_tutorial(reader: Reader) -> None:
    cluster = DemoCluster(reader.server.kubeconfig)
    for namespace in ("kwitness", "demo-apps"):
        cluster.kubectl("create", "namespace", namespace)
    page = REPOSITORY / "docs/tutorial.md"
    installs = re.findall(r"^helm (?:.*\\\n)*.*$", page.read_text(), re.MULTILINE)
    for install in installs:
        reader.types(install)
    cluster.await_definitions()
    for file in manifests.files(releases.RESOURCES):
        cluster.apply(file.read_text(), namespace="kwitness")
    for file in manifests.files(releases.CLIENTS):
        cluster.apply(re.sub(r"\$\{\w+\}", "image", file.read_text()), namespace="demo-apps")

    typed = reader.follows("docs/tutorial.md")

    assert len(installs) == 2
    assert len(typed) == 8
    assert cluster.find("kcms", "demo", "kwitness") == {}


def test_uninstall_in_order_leaves_nothing_and_another_name_takes_over_what_an_uninstall_leaves(reader: Reader) -> None:
    page = "docs/operations/uninstall.md"
    reader.types("helm install kwitness charts/kwitness --namespace kwitness --create-namespace")
    reader.types("kubectl create configmap kwitness-installation --namespace kwitness")  # as the operator does

    assert len(reader.follows(page, "In order, leaving nothing")) == 7
    assert reader.types("kubectl get crd --output name") == ""
    assert "kwitness-" not in reader.types(
        "kubectl get configmaps,roles,serviceaccounts --all-namespaces --output name"
    )

    reader.types("helm install kwitness charts/kwitness --namespace kwitness && helm uninstall kwitness -n kwitness")
    assert len(reader.follows(page, "Install again")) == 1


def test_an_upgrade(reader: Reader) -> None:
    reader.types("helm install kwitness charts/kwitness --namespace kwitness --create-namespace --values images.json")
    reader.server.await_definitions()
    cluster = resources("docs/guides/install.md", "KafkaCluster")
    reader.server.kubectl("apply", "--filename=-", input=json.dumps(cluster))

    typed = reader.follows("docs/operations/upgrade.md")

    assert len(typed) == 6
    assert '"revision":"3"' in reader.types("helm list --namespace kwitness --output json")


def test_seeing_it_with_a_prometheus_operator(reader: Reader) -> None:
    reader.types("helm install kwitness charts/kwitness --namespace kwitness --create-namespace --values images.json")
    for kind in MONITORING:
        reader.server.kubectl("create", "--filename=-", input=json.dumps(definition(GROUP, kind, f"{kind.lower()}s")))
    reader.server.await_definitions()
    collector = resources("docs/guides/install.md", "TelemetryCollector")
    reader.server.kubectl("apply", "--filename=-", input=json.dumps(collector))

    assert len(reader.follows("docs/guides/see-it.md", "Scrape it")) == 2

    made = reader.types(f"kubectl get {','.join(MONITORING)} --namespace kwitness --output name").splitlines()
    assert len(made) == 4


def definition(group: str, kind: str, plural: str) -> dict[str, object]:
    """A CustomResourceDefinition that takes everything, in place of one of the Prometheus operator's."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def resources(page: str, kind: str) -> dict[str, object]:
    """The resource of a kind that a page has first."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", (REPOSITORY / page).read_text(), re.MULTILINE | re.DOTALL)
    found = [one for block in blocks for one in yaml.safe_load_all(block)]
    return next(dict(one) for one in found if one["kind"] == kind)


def test_a_pod_that_reads_a_table_between_runs_may_be_made_and_knows_its_options(api_server: ApiServer) -> None:
    page = (REPOSITORY / "docs/guides/inventory.md").read_text()
    (block,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    pod = yaml.safe_load(block)
    strict = "pod-security.kubernetes.io/enforce=restricted"
    for command in (("create", "namespace", "reads"), ("label", "namespace", "reads", strict)):
        api_server.kubectl(*command)

    del pod["metadata"]["namespace"]
    api_server.kubectl("apply", "--namespace=reads", "--dry-run=server", "--filename=-", input=yaml.safe_dump(pod))

    interpreter, flag, module, *arguments = pod["spec"]["containers"][0]["command"]
    assert (interpreter, flag, module) == ("python3", "-m", show.__name__)
    assert show.main(arguments) == 1  # there is no table here; an option that it does not know would end it with 2
