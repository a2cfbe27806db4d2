"""Enum values of resources used to begin with a small letter; the lines of the changelog convert what is stored."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic.alias_generators import to_camel

from kwitness.contracts.generate.crds import crd
from kwitness.contracts.identity import IDENTITY_KEYS
from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.contract_model import VALIDATIONS
from kwitness.e2e.api_server import ApiServer

from tests.contracts.resource_cases import CASES
from tests.eventually import eventually

ROOT = Path(__file__).resolve().parents[2]
KAFKAS = {"none", "plain", "scram-sha-256", "scram-sha-512", "mtls", "oauthbearer", "aws-msk-iam"}
IDENTITY = {*IDENTITY_KEYS, *map(to_camel, IDENTITY_KEYS), "clientSourceAddress", "clientSourcePort", "namespace"}


def without(node: Any, *words: str) -> Any:
    """A schema that lets every value pass, as one that knew other values did."""
    if isinstance(node, dict):
        return {key: without(value, *words) for key, value in node.items() if key not in words}
    return [without(item, *words) for item in node] if isinstance(node, list) else node


def enums(node: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(node, dict):
        found = [(path, value) for value in node.get("enum", ()) if isinstance(value, str)]
        return found + [one for key, value in node.items() for one in enums(value, f"{path}.{key}")]
    return [one for item in node for one in enums(item, path)] if isinstance(node, list) else []


def test_every_enum_value_of_ours_begins_with_a_capital() -> None:
    values = [one for info in KINDS for one in enums(crd(info), info.kind)]

    assert [
        one for one in values if not (one[1][0].isupper() or one[1][0].isdigit()) and one[1] not in KAFKAS | IDENTITY
    ] == []


@pytest.mark.slow
def test_the_lines_of_the_changelog_convert_what_is_stored(tmp_path: Path) -> None:
    script = tmp_path / "capitals.sed"
    (block,) = re.findall(r"^  ```sed\n(.*?)^  ```", (ROOT / "CHANGELOG.md").read_text(), re.DOTALL | re.MULTILINE)
    script.write_text(block.replace("\n  ", "\n").removeprefix("  "))
    with ApiServer() as server:
        for info in KINDS:
            server.kubectl("apply", "-f", "-", input=yaml.safe_dump(without(crd(info), "enum", VALIDATIONS)))
        server.await_definitions()
        for number, case in enumerate(case for case in CASES if case.file == "small_letters"):
            body = {**case.body, "metadata": {"name": f"stored-{number}"}}
            if "allowedNamespaces" not in body["spec"]:  # its values have always been capitals
                server.kubectl("apply", "-f", "-", input=yaml.safe_dump(body))
        server.kubectl("apply", "-f", str(ROOT / "crds"))
        stored = server.kubectl("get", "kwitness", "--all-namespaces", "-o", "yaml")
        converted = subprocess.run(
            ["sed", "-E", "-f", script], input=stored, capture_output=True, text=True, check=True
        ).stdout

        # The definitions take effect a moment after they are stored.
        eventually(lambda: "Unsupported value" in refusal(server, stored))

        replaced = server.kubectl("replace", "-f", "-", input=converted).split("\n")
        assert len([line for line in replaced if line.endswith(" replaced")]) == len(yaml.safe_load(stored)["items"])


def refusal(server: ApiServer, text: str) -> str:
    """What the API server has against a list of new resources."""
    found = yaml.safe_load(text)["items"]
    (job,) = [one for one in found if one["kind"] == "AnalyticsJob"]
    path = "/apis/kwitness.dev/v1beta1/namespaces/default/analyticsjobs"
    body = {**job, "metadata": {"name": "new"}}
    return str(server.request("POST", path, params={"dryRun": "All"}, json=body).json().get("message", ""))
