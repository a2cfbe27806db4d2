"""Examples of all pages have one set of names, so that the manifests of two pages can be applied together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ROOT / "docs/guides"
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if "```" in page.read_text()]
CLUSTERS = {"kwitness/orders", "kwitness/orders-eu"}
"""The second is the mirror of the first."""
STRIMZI = GUIDES / "strimzi.md"
"""Its resources are beside Strimzi's cluster, whose users' Secrets have the users' names."""
OTHER_BROKERS = {STRIMZI, GUIDES / "managed-kafka-recipes.md", GUIDES / "beside-brokers.md"}
NAMESPACES = {"kwitness", "kafka", "shop", "platform"}
"""Of the installation, of brokers in Kubernetes, of applications, and of a team that writes profiles for others."""
USERS = {"kwitness-operator", "kwitness-collector", "kwitness-spark"}
SECRETS = {
    "kwitness-broker-token",
    "kwitness-collector-tls",
    "kwitness-collector-tokens",
    "kwitness-console-tables",
    "kwitness-identity-key",
    "kwitness-kafka-admin",
    "kwitness-kafka-ca",
    "kwitness-kafka-collector",
    "kwitness-kafka-host",
    "kwitness-kafka-spark",
    "kwitness-kafka-spark-eu",
    "kwitness-orders-gateway",
    "kwitness-tables-keys",
}


def manifests(page: Path) -> list[dict[str, Any]]:
    """The objects and Helm values in the YAML of a page."""
    blocks = re.findall(r"^ *```ya?ml\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL)
    documents = [document for block in blocks for document in yaml.safe_load_all(block)]
    return [document for document in documents if isinstance(document, dict)]


def members(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield each member of each object in a document."""
    yield from node.items() if isinstance(node, dict) else ()
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from members(child)


def clusters(page: Path) -> Iterator[str]:
    """Yield namespace and name of each KafkaCluster that a page applies or refers to."""
    for body in manifests(page):
        namespace = body.get("metadata", {}).get("namespace", "none")
        if body.get("kind") == "KafkaCluster":
            yield f"{namespace}/{body['metadata']['name']}"
        for name, value in members(body):
            if name == "clusterRef":
                yield f"{value.get('namespace', namespace)}/{value['name']}"
    yield from (f"kwitness/{name}" for name in re.findall(r"\b(?:kfc|kafkaclusters?) ([a-z][a-z-]*)", page.read_text()))


def secrets(page: Path) -> set[str]:
    """Names of Secrets in references, values of the chart and commands of a page."""
    named: set[str] = set(re.findall(r"create secret (?:generic|tls) (\S+)", page.read_text()))
    for name, value in (member for body in manifests(page) for member in members(body)):
        if name.lower().endswith("secretref"):
            named.add(value["name"])
        elif name == "secretNames":
            named.update(*value.values())
        elif name in {"secretName", "keysSecret"}:
            named.add(value)
    return named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_has_the_names_of_all_others(page: Path) -> None:
    of_strimzi = USERS | {"orders-cluster-ca-cert"} if page == STRIMZI else set()
    namespaces = {body["metadata"].get("namespace", "kwitness") for body in manifests(page) if "metadata" in body}
    users = set(re.findall(r"--from-literal=username=([a-z]\S*)", page.read_text()))

    assert set(clusters(page)) <= ({"kafka/orders", "kwitness/orders"} if page == STRIMZI else CLUSTERS)
    assert secrets(page) <= SECRETS | of_strimzi
    assert namespaces <= NAMESPACES
    assert users <= USERS


def test_the_kafkacluster_is_reached_in_one_way() -> None:
    found = [
        {name: body["spec"].get(name) for name in ("bootstrapServers", "tls", "authentication")}
        for page in PAGES
        if page not in OTHER_BROKERS
        for body in manifests(page)
        if body.get("kind") == "KafkaCluster"
    ]

    assert len(found) >= 4
    assert found == found[:1] * len(found)
