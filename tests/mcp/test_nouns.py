"""Checks tools of nouns against the command, whose answers they give."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest

from kwitness.cli.__main__ import main
from kwitness.contracts.envelopes import ClientItem
from kwitness.contracts.nouns import CLIENTS
from kwitness.mcp.results import cleaned

from tests.collector.collector_process import CollectorProcess
from tests.console.fleet_samples import HOSTILE
from tests.console.open_console import session_of
from tests.mcp.conftest import SCOPED, Tools, instead

pytestmark = pytest.mark.slow


def items_of_command(*arguments: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert main([*arguments, "-o", "json"]) == 0
    items = json.loads(out.getvalue())["items"]
    assert items
    return list(cleaned(items))


@pytest.mark.parametrize(
    ("tool", "arguments", "typed"),
    [
        ("clients", {"fields": list(CLIENTS.fields)}, ["clients"]),
        ("clients", {"client_id": "check*", "order": "-client_id"}, ["clients", "check*", "--sort", "-client_id"]),
        ("silent_clients", {}, ["clients", "--silent"]),
        ("silent_clients", {"client_software_name": "kafkajs"}, ["clients", "--silent", "--software", "kafkajs"]),
        ("connections", {}, ["connections"]),
        ("connections", {"client_id": "ledger"}, ["connections", "--client-id", "ledger"]),
        ("topics", {}, ["topics"]),
        ("topics", {"topic": "ord*", "order": "topic"}, ["topics", "--topic", "ord*", "--sort", "topic"]),
        ("groups", {"order": "-committed_lag_ms"}, ["groups"]),
    ],
)
def test_a_tool_gives_what_the_command_gives(
    tools: Tools, tool: str, arguments: dict[str, Any], typed: list[str]
) -> None:
    expected = items_of_command(*typed)
    if tool == "clients" and "fields" not in arguments:
        expected = [{name: value for name, value in item.items() if name != "metrics"} for item in expected]

    answer = tools.document(tool, **arguments)

    assert answer["items"] == expected
    assert answer.get("matched") == len(expected)


def test_traffic_of_a_topic_is_that_of_the_command_beside_throttling_which_that_adds(tools: Tools) -> None:
    expected = items_of_command("topics", "orders")
    answer = tools.document("traffic", topic="orders", order="-record_bytes_per_s")

    for item in (*expected, *answer["items"]):
        item.pop("throttle_ms", None)
        item.pop("throttled_responses", None)
    assert answer["items"] == expected


def test_pages_follow_each_other_and_say_what_is_left_out(tools: Tools) -> None:
    whole = tools.document("connections")["items"]
    found, cursor = [], ""
    while True:
        page = tools.document("connections", limit=2, cursor=cursor)
        assert page["left_out"] == len(whole) - len(page["items"])
        found += page["items"]
        if not (cursor := page.get("next_cursor", "")):
            break

    assert len(whole) > 2
    assert found == whole


def test_fields_are_those_that_are_requested(tools: Tools) -> None:
    assert ClientItem.model_fields["first_seen_ms"].is_required()
    answer = tools.document("clients", fields=["client_id", "owner"], client_id="ledger")

    owner = {"team": "payments", "source": "ConfigMap", "contact": "payments@example.org"}
    assert answer["items"] == [{"client_id": "ledger", "owner": owner}]


def test_names_of_clients_have_no_control_characters(tools: Tools) -> None:
    answer = tools.ask("connections", fields=["client_id"])
    names = [item["client_id"] for item in (answer.structured_content or {})["items"]]
    [content] = answer.content

    assert HOSTILE.replace("\u202e", "?").replace("\x07", "?") in names
    assert "\u202e" not in content.text
    assert "\\u0007" not in content.text
    assert json.loads(content.text) == answer.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("clients", {"limit": 501}, "limit: Input should be less than or equal to 500"),
        (
            "clients",
            {"name": "checkout"},
            "name: Extra inputs are not permitted. The arguments of clients are ",
        ),
        ("clients", {"fields": ["colour"]}, "fields.0: Input should be 'cluster_id'"),
        ("groups", {"order": "colour"}, "order: Input should be ''"),
        ("why", {}, "client: Field required"),
        ("delete", {}, "there is no tool delete: there are clients, silent_clients"),
    ],
)
def test_wrong_arguments_are_named_with_what_is_known(
    server: Tools, tool: str, arguments: dict[str, Any], sentence: str
) -> None:
    assert sentence in server.refusal(tool, **arguments)


def test_a_reader_with_a_scope_gets_what_is_of_it(tools: Tools, fleet: CollectorProcess) -> None:
    with instead(session_of(fleet), reader_token=SCOPED):
        answer = tools.document("traffic")
        stories = tools.refusal("why", client="checkout")

    assert {item["client_id"] for item in answer["items"]} == {"app"}
    assert "the answer is limited to the scope of this reader: namespaces stranger" in answer["notes"]
    assert "no client checkout is known" in stories


def test_a_collector_that_is_away_is_an_error_in_the_words_of_the_command(
    tools: Tools, fleet: CollectorProcess
) -> None:
    with instead(session_of(fleet), collector_address="127.0.0.1:1"):
        assert "the collector of `kwitness try` does not answer" in tools.refusal("clients")
    assert tools.document("clients")["items"]


def test_without_a_cluster_a_tool_names_the_option(server: Tools) -> None:
    for tool in ("clients", "subscriptions", "doctor"):
        assert "name a kubeconfig by --kubeconfig or KUBECONFIG" in server.refusal(tool)
