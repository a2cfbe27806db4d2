"""The definitions on a real API server: what it takes, what it refuses and how it says so, what it shows."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.contracts.generate.crds import crd
from kwitness.contracts.resources import KINDS, KindInfo
from kwitness.contracts.resources.header_registry import ID_RANGES
from kwitness.e2e.api_server import ApiServer

from tests.contracts.creation import create
from tests.contracts.resource_cases import CASES, ResourceCase, cases_of, resource

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("case", [case for case in CASES if not case.refused], ids=str)
def test_a_valid_resource_is_taken_and_fits_our_model(api_with_crds: ApiServer, case: ResourceCase) -> None:
    answer = create(api_with_crds, case.body)

    assert answer.status_code == 201, answer.json()["message"]
    info = next(info for info in KINDS if info.kind == case.kind)
    info.model.model_validate(answer.json())


@pytest.mark.parametrize("case", [case for case in CASES if case.refused], ids=str)
def test_an_invalid_resource_is_refused_with_the_name_of_the_field(
    api_with_crds: ApiServer, case: ResourceCase
) -> None:
    answer = create(api_with_crds, case.body)

    assert answer.status_code == 422, f"accepted: {case}"
    status = answer.json()
    assert case.refused in {cause["field"] for cause in status["details"]["causes"]}, status["message"]
    assert case.refused in status["message"]


@pytest.mark.parametrize("case", [case for case in CASES if case.file == "small_letters"], ids=str)
def test_a_value_that_begins_with_a_small_letter_is_answered_with_those_that_are_accepted(
    api_with_crds: ApiServer, case: ResourceCase
) -> None:
    message = create(api_with_crds, case.body).json()["message"]

    assert re.search(r'Unsupported value: "[a-z]\w+": supported values: "[A-Z]', message), message


def test_every_kind_tells_those_who_write_small_letters() -> None:
    assert {case.kind for case in CASES if case.file == "small_letters"} == {info.kind for info in KINDS}


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_every_kind_has_cases_of_both_sides(info: KindInfo) -> None:
    assert {bool(case.refused) for case in cases_of(info.kind)} == {True, False}


@pytest.fixture(scope="module")
def listed(api_with_crds: ApiServer) -> list[str]:
    """All that kubectl knows."""
    return api_with_crds.kubectl("api-resources", "--no-headers", "--output=name").split()


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_a_short_name_means_our_kind(api_with_crds: ApiServer, info: KindInfo, listed: list[str]) -> None:
    # kubectl asks discovery in order of priority; a built-in kind with the same short name would win.
    found = api_with_crds.kubectl("get", info.short_name, "--output=json", "-v=6", "--ignore-not-found")
    explained = api_with_crds.kubectl("explain", info.short_name)

    assert json.loads(found or '{"items": []}')["items"] == []
    assert f"{info.plural}.kwitness.dev" in listed
    assert f"KIND:       {info.kind}" in explained


@pytest.mark.parametrize("text", ["10", "5 m", "1d", "soon"])
def test_what_is_no_duration_is_refused_by_one_message(api_with_crds: ApiServer, text: str) -> None:
    body = resource("ClientMetricsSubscription")
    body["spec"]["interval"] = text

    (cause,) = create(api_with_crds, body).json()["details"]["causes"]

    assert cause["field"] == "spec.interval"


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_kubectl_get_shows_state_reason_and_age(api_with_crds: ApiServer, info: KindInfo) -> None:
    valid = resource(info.kind)
    valid["metadata"]["name"] = "shown"
    objects = api_with_crds.objects
    objects.apply(valid, namespace="default")
    condition = {
        "type": "Ready",
        "status": "False",
        "reason": "Unsupported",
        "message": "m",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "observedGeneration": 1,
    }
    status = {"status": {"observedGeneration": 1, "conditions": [condition]}}
    objects.patch(info.short_name, "shown", "default", status, subresource="status")

    head, row = api_with_crds.kubectl("get", info.short_name, "shown").splitlines()
    objects.delete(info.short_name, "shown", namespace="default")

    columns = head.split()
    assert columns[:3] == ["NAME", "READY", "REASON"]
    assert columns[-1] == "AGE"
    assert row.split()[:3] == ["shown", "False", "Unsupported"]
    assert 6 <= len(columns) <= 9


def test_all_kinds_are_in_the_category(api_with_crds: ApiServer) -> None:
    names = api_with_crds.kubectl("api-resources", "--categories=kwitness", "--output=name").split()

    assert sorted(names) == sorted(f"{info.plural}.kwitness.dev" for info in KINDS)


def test_an_unknown_field_is_refused_by_kubectls_default(api_with_crds: ApiServer) -> None:
    valid = resource("KafkaCluster")
    valid["spec"]["bootstrapServer"] = "a:1"

    answer = create(api_with_crds, valid)

    assert answer.status_code == 400
    assert "spec.bootstrapServer" in answer.json()["message"]


def test_defaults_are_filled_in(api_with_crds: ApiServer) -> None:
    collector = resource("TelemetryCollector")

    spec = create(api_with_crds, collector).json()["spec"]

    assert spec["prometheus"]["labels"] == [
        "cluster_id",
        "client_id",
        "client_software_name",
        "client_software_version",
    ]
    assert spec["prometheus"]["maxSeries"] == 100_000
    assert spec["kafkaTopic"] == {"mode": "Write"}
    assert spec["authentication"] == {"type": "none"}


@pytest.mark.parametrize("other", ["sidecar", "broker"])
def test_where_observers_run_cannot_be_changed(api_with_crds: ApiServer, other: str) -> None:
    path = "/apis/kwitness.dev/v1beta1/namespaces/default/observerdeployments"
    api_with_crds.request("POST", path, json=resource("ObserverDeployment"))
    spec = resource("ObserverDeployment", other)["spec"]

    answer = api_with_crds.request(
        "PATCH",
        f"{path}/example",
        json={"spec": {**spec, "gateway": None}},
        headers={"Content-Type": "application/merge-patch+json"},
    )
    api_with_crds.request("DELETE", f"{path}/example")

    assert answer.status_code == 422
    assert "where observers run cannot be changed" in answer.json()["message"]


def rules_of(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from (rule["message"] for rule in node.get("x-kubernetes-validations", []))
        for value in node.values():
            yield from rules_of(value)
    elif isinstance(node, list):
        for item in node:
            yield from rules_of(item)


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_every_rule_has_a_case_that_breaks_it(api_with_crds: ApiServer, info: KindInfo) -> None:
    # Rules about changes are broken by a change, in test_jobs_on_the_api_server.py.
    rules = {rule for rule in rules_of(crd(info)) if "cannot be changed" not in rule}
    said = " ".join(create(api_with_crds, case.body).json()["message"] for case in cases_of(info.kind) if case.refused)

    assert {rule for rule in rules if rule not in said} == set()


def examples() -> list[Any]:
    """Every resource of ours that the repository shows to people, in files and in Markdown."""
    found = []
    for folder in ("demo", "docs", "charts", "README.md"):
        place = ROOT / folder
        paths = [place] if place.is_file() else sorted({*place.rglob("*.yaml"), *place.rglob("*.md")})
        for path in paths:
            text = path.read_text()
            blocks = (
                re.findall(r"^```ya?ml\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if path.suffix == ".md" else [text]
            )
            bodies = [
                document
                for block in blocks
                for document in re.split(r"^---$", block, flags=re.MULTILINE)
                if "\napiVersion: kwitness.dev/v1beta1" in f"\n{document}"
            ]
            found += [pytest.param(body, id=f"{path.relative_to(ROOT)}#{number}") for number, body in enumerate(bodies)]
    return found


@pytest.mark.parametrize("text", examples())
def test_an_example_for_people_is_valid(api_with_crds: ApiServer, text: str) -> None:
    body = yaml.safe_load(re.sub(r"\$\{[A-Z_]+\}", "1", text))
    body["metadata"].pop("namespace", None)  # it does not exist here

    answer = create(api_with_crds, body)

    assert answer.status_code == 201, answer.json()["message"]


def applied_register(server: ApiServer, manager: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Apply a register's fields by server-side apply, as one owner of several does."""
    body = {"apiVersion": "kwitness.dev/v1beta1", "kind": "HeaderRegistry", "metadata": {"name": "shared"}}
    answer = server.request(
        "PATCH",
        "/apis/kwitness.dev/v1beta1/namespaces/default/headerregistries/shared",
        params={"fieldManager": manager},
        data=json.dumps({**body, "spec": spec}),
        headers={"Content-Type": "application/apply-patch+yaml"},
    )
    assert answer.ok, answer.json()["message"]
    return answer.json()["spec"]


def test_the_registers_of_the_proposal_are_taken_as_the_example_has_them(api_with_crds: ApiServer) -> None:
    example = ROOT / "docs" / "examples" / "header-registry.yaml"
    api_with_crds.kubectl("apply", "-f", str(example))
    taken = json.loads(api_with_crds.kubectl("get", "-f", str(example), "-o", "json"))["items"]
    numbers = {key["name"]: key.get("id") for body in taken for key in body["spec"]["keys"]}
    api_with_crds.kubectl("delete", "-f", str(example))
    ranges = {who: range(first, last + 1) for first, last, who in ID_RANGES}
    assert numbers["app.name"] in ranges["local use: application"]
    assert 1114000 in ranges["local use: infrastructure"]
    assert {name: number for name, number in numbers.items() if name != "app.name"} == {
        "client.id": 1,
        "cluster.id": 2,
        "correlation.id": 3,
        "new.relic": 2100001,
        "appdynamics": 2100002,
        "charge.tag": 1050000,
        "order.id": None,
        "order.number": None,
    }


def test_two_owners_keep_their_keys_of_one_register(api_with_crds: ApiServer) -> None:
    meaning = {"description": "The order.", "type": "String"}
    applied_register(
        api_with_crds,
        "orders",
        {"keys": [{"name": "__TypeId__", **meaning}], "prefixes": [{"prefix": "order.", **meaning}]},
    )
    both = applied_register(
        api_with_crds,
        "billing",
        {"keys": [{"name": "charge.tag", **meaning}], "prefixes": [{"prefix": "bill.", **meaning}]},
    )
    left = applied_register(api_with_crds, "orders", {"prefixes": [{"prefix": "order.", **meaning}]})
    api_with_crds.objects.delete("khr", "shared", namespace="default")

    assert [key["name"] for key in both["keys"]] == ["__TypeId__", "charge.tag"]
    assert [one["prefix"] for one in both["prefixes"]] == ["order.", "bill."]
    assert [key["name"] for key in left["keys"]] == ["charge.tag"]
    assert [one["prefix"] for one in left["prefixes"]] == ["order.", "bill."]


def test_all_definitions_are_structural_and_established(api_with_crds: ApiServer) -> None:
    definitions = api_with_crds.objects.items("crd")

    states = {
        item["metadata"]["name"]: {one["type"]: one["status"] for one in item["status"]["conditions"]}
        for item in definitions
    }
    assert set(states) == {f"{info.plural}.kwitness.dev" for info in KINDS}
    for name, state in states.items():
        assert state["Established"] == "True", name
        assert state["NamesAccepted"] == "True", name
        assert "NonStructuralSchema" not in state, name


def test_an_unknown_field_is_dropped_where_nobody_asks_for_validation(api_with_crds: ApiServer) -> None:
    body = resource("KafkaCluster")
    body["spec"]["bootstrapServer"] = "a:1"

    answer = api_with_crds.request(
        "POST", "/apis/kwitness.dev/v1beta1/namespaces/default/kafkaclusters", params={"dryRun": "All"}, json=body
    )

    assert answer.status_code == 201
    assert "bootstrapServer" not in answer.json()["spec"]


def test_two_resources_of_one_name_live_in_two_namespaces(api_with_crds: ApiServer) -> None:
    body = resource("ClientMetricsSubscription")
    namespaces = ["team-a", "team-b"]
    for namespace in namespaces:
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        api_with_crds.objects.apply(made, body, namespace=namespace)

    found = api_with_crds.objects.items("kcms")

    # Other tests on this server have namespaces of their own.
    of_that_name = [item["metadata"] for item in found if item["metadata"]["name"] == body["metadata"]["name"]]
    assert sorted(one["namespace"] for one in of_that_name if one["namespace"] in namespaces) == namespaces


def test_writing_a_spec_leaves_the_status_alone(api_with_crds: ApiServer) -> None:
    body = resource("KafkaCluster")
    body["metadata"]["name"] = "forged"
    body["status"] = {"clusterId": "forged"}

    api_with_crds.objects.apply(body, namespace="default")
    found = api_with_crds.objects.get("kfc", "forged", "default")
    api_with_crds.objects.delete("kfc", "forged", namespace="default")

    assert "status" not in found
    assert found["metadata"]["generation"] == 1


def test_the_autoscaler_that_a_guide_shows_is_valid(api_server: ApiServer) -> None:
    page = (ROOT / "docs/guides/observer-connection.md").read_text()
    (shown,) = re.findall(r"^ *```yaml\n(.*?)^ *```", page, re.DOTALL | re.MULTILINE)

    api_server.kubectl("apply", "--dry-run=server", "--validate=strict", "--filename=-", input=textwrap.dedent(shown))


def shown() -> list[Any]:
    """Each manifest of ours on a page, with where it is."""
    found = []
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        blocks = re.findall(r"^ *```yaml\n(.*?)^ *```", page.read_text(), re.DOTALL | re.MULTILINE)
        manifests = [
            one
            for block in blocks
            if "apiVersion: kwitness.dev/" in block
            for one in yaml.safe_load_all(textwrap.dedent(block))
            if str(one["apiVersion"]).startswith("kwitness.dev/")
        ]
        name = page.relative_to(ROOT)
        found += [pytest.param(one, id=f"{name}-{number}") for number, one in enumerate(manifests, 1)]
    return found


@pytest.mark.parametrize("manifest", shown())
def test_a_manifest_that_a_page_shows_is_taken_and_has_no_field_that_is_not_known(
    api_with_crds: ApiServer, manifest: dict[str, Any]
) -> None:
    metadata = {"namespace": "default", "name": "shown", **manifest["metadata"]}

    answer = create(api_with_crds, {**manifest, "metadata": {**metadata, "namespace": "default"}})

    assert answer.status_code == 201, answer.json()["message"]
