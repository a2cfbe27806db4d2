"""Pages for operators say what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.e2e import chart
from kwitness.e2e.api_server import ApiServer
from kwitness.operator.desired.kafka_cluster_status import acl_hints

DOCS = Path(__file__).resolve().parents[2] / "docs"
OURS = "kwitness.dev/"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


def test_the_page_on_rights_has_the_commands_that_the_status_has() -> None:
    spec = {"bootstrapServers": ["kafka.example.org:9093"], "tls": {"enabled": True}}
    cluster = KafkaCluster.model_validate({"metadata": {"name": "orders", "namespace": "kafka"}, "spec": spec})

    shown = [line for block in blocks(DOCS / "operations" / "acls.md", "sh") for line in block.splitlines()]

    assert shown == [hint["command"] for hint in acl_hints(cluster)]


@pytest.mark.parametrize("page", sorted((DOCS / "guides").glob("*.md")), ids=lambda page: page.stem)
def test_resources_of_guides_are_accepted_by_a_real_api_server(page: Path, api_server: ApiServer) -> None:
    definitions = chart.of_kind(chart.render(), "CustomResourceDefinition")
    for definition in definitions:
        api_server.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(definition))
    api_server.kubectl("wait", "--for=condition=Established", "--timeout=30s", "crd", "--all")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kafka"}}
    api_server.kubectl("apply", "--server-side", "--filename=-", input=json.dumps(namespace))

    for block in blocks(page, "yaml"):
        resource = yaml.safe_load(block)
        if resource["apiVersion"].startswith(OURS):
            api_server.kubectl("apply", "--dry-run=server", "--filename=-", input=block)


def test_every_link_leads_somewhere() -> None:
    for page in [*(DOCS / "guides").glob("*.md"), *(DOCS / "operations").glob("*.md"), chart.CHART / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
