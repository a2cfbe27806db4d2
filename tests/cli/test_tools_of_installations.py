"""Checks tools that ask the API server (`kwitness mcp`) against the command, on a real one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kwitness.answers.access.options import AccessOptions
from kwitness.e2e.api_server import ApiServer
from kwitness.mcp.installation import Installation
from kwitness.mcp.results import cleaned
from kwitness.mcp.story_tools import story_tools

from tests.cli.command import Person
from tests.cli.conftest import cluster

pytestmark = pytest.mark.slow
ADD = ("subscriptions", "add", "rates", "--metric", "org.apache.kafka.producer.")


def answer(kubeconfig: Path, name: str, **arguments: Any) -> dict[str, Any] | str:
    """Return the document of a tool, or the text of its error."""
    [tool] = [tool for tool in story_tools(Installation(AccessOptions(kubeconfig=kubeconfig))) if tool.name == name]
    result = tool.call(arguments)
    if result.is_error:
        return str(result.content[0].text)  # type: ignore[union-attr]
    assert result.structured_content is not None
    return result.structured_content


def test_subscriptions_are_those_of_the_command(person: Person, api: ApiServer, namespace: str) -> None:
    api.objects.apply(cluster("orders", namespace))
    person.done(*ADD)
    expected = json.loads(person.done("subscriptions", "list", "-o", "json"))["items"]

    found = answer(person.kubeconfig, "subscriptions")

    assert isinstance(found, dict)
    assert [item["name"] for item in found["items"]] == ["rates"]
    assert found["items"] == cleaned(expected)
    [note] = found["notes"]
    assert note == "what others ask at the brokers of orders is not known (yet): the operator has not said it"


def test_checks_are_those_of_the_command(person: Person) -> None:
    expected = json.loads(person.types("doctor", "--quiet", "-o", "json").stdout)

    found = answer(person.kubeconfig, "doctor")

    assert isinstance(found, dict)
    assert (found["errors"], found["warnings"]) == (expected["errors"], expected["warnings"])
    assert [item["subject"] for item in found["items"]] == [item["subject"] for item in expected["items"]]
    assert len(found["items"]) < len(answer(person.kubeconfig, "doctor", quiet=False)["items"])  # type: ignore[index]


def test_a_person_without_permissions_gets_no_more_than_from_the_command(newcomer: Person) -> None:
    refused = newcomer.types("subscriptions", "list")

    assert refused.returncode == 3
    assert refused.stderr == f"kwitness: {answer(newcomer.kubeconfig, 'subscriptions')}\n"
