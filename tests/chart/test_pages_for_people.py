"""Every command of README, tutorial, guides and uninstall that speaks to Kubernetes is run on a real API server.

Nothing runs pods there, so a command that waits for one is not among them: the demo and its suite do that.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.demo import manifests, releases
from kwitness.demo.cluster import DemoCluster
from kwitness.e2e import binaries
from kwitness.e2e.api_server import ApiServer
from kwitness.images import builder
from kwitness.images.image_parts import REPOSITORY

pytestmark = pytest.mark.slow

FILES = ("kafka-ca.crt", "operator.password", "collector.password", "spark.password")
MORE_FILES = ("collector.crt", "collector.key", "collector-ca.crt", "tokens")


class Reader:
    """A person in a checkout, with kubectl and Helm on the path, who does what a page says."""

    def __init__(self, server: ApiServer, folder: Path) -> None:
        self.server = server
        self._folder = folder
        tools = folder / "bin"
        tools.mkdir()
        for name, command in (("kubectl", binaries.kubectl()), ("helm", binaries.helm())):
            (tools / name).symlink_to(command)
        (folder / "charts").symlink_to(REPOSITORY / "charts")
        (folder / "demo").symlink_to(REPOSITORY / "demo")
        (folder / "images.json").write_text(builder.helm_values({"operator": "registry.example.org/me/operator:1"}))
        for name in (*FILES, *MORE_FILES):
            (folder / name).write_text("content")
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(server.kubeconfig),
            "PATH": f"{tools}:{os.environ['PATH']}",
        }

    def types(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def follows(self, page: str, section: str = "") -> list[str]:
        """Type every command of a page that is for Kubernetes, and apply every resource of ours; what was typed."""
        typed = []
        whole = (REPOSITORY / page).read_text()
        read = whole.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else whole
        for language, text in re.findall(r"^ *```(sh|yaml)\n(.*?)^ *```", read, re.MULTILINE | re.DOTALL):
            if language == "yaml":
                self.server.cluster().await_definitions()
                self.server.kubectl("apply", "--filename=-", input=text)
                continue
            for command in re.sub(r"\\\n\s*", " ", text).splitlines():
                if re.match(r"\s*(kubectl|helm) ", command):
                    self.types(command)
                    typed.append(command.split("#")[0].strip())
        return typed


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with ApiServer() as server:
        yield Reader(server, tmp_path)


@pytest.mark.parametrize("page", ["README.md", "docs/guides/install.md"])
def test_installation(reader: Reader, page: str) -> None:
    typed = reader.follows(page)

    assert any(command.startswith("helm install kwitness charts/kwitness") for command in typed)
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
    assert cluster.find("kcms", "demo", "--namespace=kwitness") == {}


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
