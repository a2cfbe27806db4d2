"""The page on rights says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from kwitness.answers.views.acl_commands import acl_commands
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), flags=re.DOTALL)


def test_the_page_on_rights_has_the_commands_that_kwitness_acls_prints() -> None:
    spec = {"bootstrapServers": ["kafka.example.org:9093"], "tls": {"mode": "Required"}}
    cluster = KafkaCluster.model_validate({"metadata": {"name": "orders", "namespace": "kafka"}, "spec": spec})

    shown = [line for block in blocks(DOCS / "operations" / "acls.md", "sh") for line in block.splitlines()]

    assert shown == [command for component in acl_commands(cluster) for command in component.commands]
