"""What is generated: fresh, complete, and in the words that other languages use."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, Field

from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.envelopes import ConnectionSnapshot
from kwitness.contracts.generate import __main__ as generator
from kwitness.contracts.generate.crds import crd
from kwitness.contracts.generate.http_api import OPERATIONS
from kwitness.contracts.generate.structural_schema import UnstructuralModelError, structural_schema
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.contracts.reasons import REASONS
from kwitness.contracts.record_headers import ALL_HEADER_NAMES, RECORD_HEADERS
from kwitness.contracts.resources import KINDS
from kwitness.contracts.topics import TOPICS
from kwitness.jobs.generated.schemas import CONNECTION_SNAPSHOT, TELEMETRY_HEADERS

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference"


@pytest.mark.slow
def test_no_generated_file_is_stale(capsys) -> None:
    code = generator.main(["--check"])

    assert code == 0, capsys.readouterr().err


@pytest.mark.slow
def test_a_stale_file_is_named(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(generator, "ROOT", tmp_path)
    monkeypatch.setattr(generator, "STAGES", (("kwitness.contracts.generate.crds", "crds"),))

    assert generator.main(["--check"]) == 1
    assert "stale: crds/kafkaclusters.yaml" in capsys.readouterr().err
    assert generator.main([]) == 0
    assert generator.main(["--check"]) == 0


@pytest.mark.slow
def test_every_generated_file_says_so() -> None:
    for stage in generator.STAGES:
        for path, text in generator.outputs(stage):
            assert "Generated from" in text[:400], path
            assert "do not edit" in text[:400] or "by hand" in text[:400], path


def nodes(node: dict[str, Any], path: str):
    yield path, node
    for name, child in node.get("properties", {}).items():
        yield from nodes(child, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        if isinstance(node.get(word), dict):
            yield from nodes(node[word], f"{path}[]")


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_every_field_has_a_description_and_one_type(info) -> None:
    schema = crd(info)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for part in ("spec", "status"):
        for path, node in nodes(schema["properties"][part], part):
            assert ("type" in node) != ("x-kubernetes-int-or-string" in node), path
            assert "$ref" not in node, path
            assert "anyOf" not in node, path
            assert node["description"].endswith("."), path


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_a_status_claims_nothing_by_default(info) -> None:
    schema = crd(info)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]

    assert all("default" not in node for _, node in nodes(schema["properties"]["status"], "status"))


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_the_chart_has_the_same_definition_and_keeps_it(info) -> None:
    template = (ROOT / f"charts/kwitness/charts/kwitness-crds/templates/{info.plural}.yaml").read_text()
    body = template.partition("\n")[2].replace("{{ `{{` }}", "{{")

    assert yaml.safe_load(body) == crd(info)
    assert crd(info)["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_every_field_has_its_line_in_the_reference(info) -> None:
    page = (REFERENCE / "resources.md").read_text().partition(f"\n## {info.kind}\n")[2].partition("\n## ")[0]
    schema = crd(info)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    for part in ("spec", "status"):
        for path, _ in nodes(schema[part], part):
            if path != part and not path.endswith("[]"):
                assert re.search(rf"`{re.escape(path)}(\[\])?`", page), path


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("metrics", [metric.name for metric in CLIENT_METRICS]),
        ("metrics", [metric.prometheus_name for metric in CLIENT_METRICS]),
        ("metrics", [metric.name for metric in OWN_METRICS]),
        ("topics", [f"kwitness.{topic.name}" for topic in TOPICS]),
        ("headers", [header.name for header in RECORD_HEADERS]),
        ("headers", list(IDENTITY_KEYS)),
        ("reasons", [entry.reason for entry in REASONS]),
    ],
    ids=["client metrics", "Prometheus names", "own metrics", "topics", "headers", "identity keys", "reasons"],
)
def test_every_word_has_its_line_in_the_reference(page, words) -> None:
    text = (REFERENCE / f"{page}.md").read_text()

    assert [word for word in words if f"| `{word}` |" not in text] == []


def test_every_request_is_in_the_api_description_with_its_bodies() -> None:
    api = yaml.safe_load((ROOT / "contracts/http/collector.yaml").read_text())
    references = set(re.findall(r"#/components/schemas/([A-Za-z]+)", json.dumps(api)))

    assert {(path, method) for path, methods in api["paths"].items() for method in methods} == {
        (one.path, one.method) for one in OPERATIONS
    }
    assert references <= set(api["components"]["schemas"])


def test_the_plugin_writes_only_keys_that_the_contract_knows() -> None:
    sources = (ROOT / "services/broker-plugin/src/main/java/dev/kwitness/broker").glob("*.java")
    known = set(re.findall(r'KEY_[A-Z_]+ = "([a-z_]+)"', (ROOT / CONTRACT).read_text()))
    written = {
        key
        for source in sources
        if source.name in ("PushBatch.java", "Heartbeat.java", "BrokerIdentity.java")
        for key in re.findall(r'\.put\w*\("([a-z_]+)"', source.read_text())
    }

    assert written <= known


CONTRACT = "services/broker-plugin/src/main/java/dev/kwitness/broker/Contract.java"


def test_the_spark_schema_has_the_fields_of_the_message() -> None:
    message = ConnectionSnapshot.model_json_schema(by_alias=True)

    assert CONNECTION_SNAPSHOT.fieldNames() == list(message["properties"])
    assert CONNECTION_SNAPSHOT["event_seq"].dataType.simpleString() == "bigint"
    assert CONNECTION_SNAPSHOT["connections"].dataType.simpleString() == (
        "array<struct<listener:string,client_software_name:string,client_software_version:string,connections:bigint>>"
    )
    assert TELEMETRY_HEADERS == ALL_HEADER_NAMES


class Unbounded(BaseModel):
    text: str = Field(description="A text.")


class Undescribed(BaseModel):
    text: str = Field(max_length=3)


class Undecided(BaseModel):
    value: int | bool = Field(description="One or the other.")


class Unlimited(BaseModel):
    many: tuple[int, ...] = Field(description="Many.")


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (Unbounded, "text: needs maxLength"),
        (Undescribed, "text: has no description"),
        (Undecided, "a union of 2 types"),
        (Unlimited, "many: needs maxItems"),
    ],
)
def test_a_model_that_cannot_be_a_schema_is_named(model, complaint) -> None:
    with pytest.raises(UnstructuralModelError, match=complaint):
        structural_schema(model, defaults=True)
