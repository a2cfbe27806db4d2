"""The page on managed Kafka: attributes are those that are read, and each service has a word on each feature."""

from __future__ import annotations

import re
from pathlib import Path

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.semantic_attributes import NAMES_READ

PAGE = (Path(__file__).resolve().parents[2] / "docs/guides/managed-kafka.md").read_text()


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(heading: str) -> list[list[str]]:
    """Cells of the table under a heading, its head first."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_client_is_known_by_the_attributes_that_the_collector_takes_in_that_order() -> None:
    shown = {cells[0].strip("`"): tuple(re.findall(r"`([^`]+)`", cells[1])) for cells in rows("Plain OTLP")[1:]}

    assert shown
    assert {key: NAMES_READ[key] for key in shown} == shown


def test_each_service_has_a_word_on_each_feature() -> None:
    head, *features = rows("Features by service")

    assert head[1:] == ["Amazon MSK", "Confluent Cloud", "Azure Event Hubs", "Redpanda", "Aiven"]
    assert len(features) >= 10
    assert all(len(cells) == len(head) and all(cells) for cells in features)


def test_ways_to_sign_in_are_types_that_a_kafka_cluster_has() -> None:
    field = KafkaCluster.model_json_schema(by_alias=True)["$defs"]["ClusterAuthentication"]["properties"]["type"]
    row = next(cells for cells in rows("Features by service") if cells[0] == "authentication")
    named = {word for cell in row[1:] for word in re.findall(r"`([a-z0-9-]+)`", cell)}

    assert named == {"scram-sha-256", "scram-sha-512", "plain", "mtls"}
    assert named <= set(field["enum"])
