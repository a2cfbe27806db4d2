"""The pages that lead from the proposals to us name what exists: metrics, fields of resources and records, headings."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.contracts.generate import proposal_pages
from kwitness.contracts.generate.crds import crd
from kwitness.contracts.generate.http_api import OPERATIONS
from kwitness.contracts.generate.proposal_pages import UnknownNameError, from_the_proposals, proposal_metrics
from kwitness.contracts.resources import KINDS

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference"
PAGES = {"proposal-metrics": proposal_metrics(ROOT), "from-the-proposals": from_the_proposals(ROOT)}
METRICS = yaml.safe_load((ROOT / "contracts/registry/proposal_metrics.yaml").read_text())
TEXTS = yaml.safe_load((ROOT / "contracts/registry/proposals.yaml").read_text())
OF_OTHERS = {"node_id", "container_memory_working_set_bytes"}
"""A label that Java sends, a metric of the kubelet."""
IN_THE_TEXT = re.findall(
    r"\S+",
    """
connection.creations connection.count connection.errors request.rtt request.queue.latency request.queue.count
request.success request.errors io.wait.time
producer.record.bytes producer.record.count producer.queue.max.bytes producer.queue.bytes producer.queue.max.messages
producer.queue.messages
consumer.poll.interval consumer.poll.last consumer.poll.latency consumer.commit.count
consumer.group.assignment.strategy consumer.group.assignment.partition.count consumer.assignment.partition.count
consumer.group.rebalance.count consumer.group.error.count consumer.record.queue.count consumer.record.queue.bytes
consumer.record.application.count consumer.record.application.bytes consumer.fetch.latency consumer.fetch.count
consumer.fetch.failures
producer.partition.queue.bytes producer.partition.queue.count producer.partition.latency
producer.partition.queue.latency producer.partition.record.retries producer.partition.record.failures
producer.partition.record.success
process.memory.bytes process.cpu.user.time process.cpu.system.time process.io.wait.time process.pid
""",
)


def test_each_metric_of_the_text_has_its_row() -> None:
    assert [row["name"] for row in METRICS] == IN_THE_TEXT
    assert len(IN_THE_TEXT) == 43


@pytest.mark.parametrize("row", METRICS, ids=lambda row: row["name"])
def test_what_is_there_of_a_metric_agrees_with_where_it_is(row: dict[str, Any]) -> None:
    pushed = [name for name in row["metrics"] if name in proposal_pages._PUSHED]
    recorded = [name for name in row["metrics"] if name.startswith("kwitness:client_")]

    assert row["what"].endswith(".")
    assert row["have"] != "same" or pushed
    assert row["have"] != "derived" or recorded


def test_recording_rules_that_are_named_are_in_the_chart() -> None:
    rules = [yaml.safe_load(file.read_text()) for file in (ROOT / "charts/kwitness/rules").glob("*.yaml")]
    recorded = {rule.get("record") for one in rules for group in one["groups"] for rule in group["rules"]}
    named = {name for page in PAGES.values() for name in re.findall(r"`(kwitness:[a-z0-9_:]+)`", page)} - {"kwitness:"}

    assert named
    assert named - recorded == set()


def test_a_metric_that_nothing_exposes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"name": "process.pid", "have": "other", "metrics": ["kafka_client_pid"], "what": "The process."}
    monkeypatch.setattr(proposal_pages, "_read", lambda *_: [row])

    with pytest.raises(UnknownNameError, match="kafka_client_pid"):
        proposal_metrics(ROOT)


def fields(node: dict[str, Any], path: str) -> set[str]:
    found = {path}
    for name, child in node.get("properties", {}).items():
        found |= fields(child, f"{path}.{name}")
        found |= fields(child.get("items", {}), f"{path}.{name}[]")
    return found


@pytest.mark.parametrize("page", PAGES)
def test_fields_of_resources_that_are_named_exist(page: str) -> None:
    known: set[str] = set()
    for info in KINDS:
        schema = crd(info)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
        known |= fields(schema["spec"], f"{info.kind}.spec") | fields(schema["status"], f"{info.kind}.status")
    named = set(re.findall(r"`([A-Z][A-Za-z]+\.(?:spec|status)\.[\w.\[\]]+)`", PAGES[page]))

    assert named - known == set()
    assert named or page == "proposal-metrics"


def test_requests_that_are_named_exist() -> None:
    known = {f"{one.method.upper()} {one.path}" for one in OPERATIONS}
    named = {name for page in PAGES.values() for name in re.findall(r"`((?:GET|POST) /v1/[^`?]+)", page)}

    assert named - known == set()


def headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_headings_that_exist(page: str) -> None:
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", PAGES[page])

    assert links
    for target, anchor in links:
        place = (REFERENCE / target).resolve()
        assert place.exists(), target
        assert not anchor or anchor in headings(place), f"{target}#{anchor}"


def test_names_of_fields_of_records_are_in_their_page() -> None:
    page = (REFERENCE / "topics.md").read_text()
    named = {
        name for text in PAGES.values() for name in re.findall(r"`([a-z]+(?:_[a-z]+)*)`(?: and `[a-z_]+`)? of", text)
    }
    tables = (REFERENCE / "tables.md").read_text()
    api = (ROOT / "contracts/http/collector.yaml").read_text()

    unknown = {name for name in named if f"`{name}`" not in page + tables and f"{name}:" not in api}
    assert {name for name in unknown if not name.startswith("kafka_client_")} == OF_OTHERS


def test_each_feature_has_one_row_that_says_what_there_is() -> None:
    words = Counter((text["title"], row["word"]) for text in TEXTS for row in text["rows"])

    assert [word for word, count in words.items() if count > 1] == []
    assert [text["title"][:7].rstrip(":") for text in TEXTS] == ["KIP-714", "KIP-388", "KIP-42", "KIP-82", "KIP-511"]
    for text in TEXTS:
        assert {row["have"] for row in text["rows"]} <= {"yes", "part", "other", "kafka", "no"}
        assert all(row["what"].endswith(".") for row in text["rows"]), text["title"]
    assert {row["have"] for text in TEXTS for row in text["rows"]} == {"yes", "part", "other", "kafka", "no"}
