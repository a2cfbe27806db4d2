"""Checks stories of clients and tables of analyses against the command."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from kwitness.cli.__main__ import main
from kwitness.mcp.results import cleaned

from tests.mcp.conftest import Tools

pytestmark = pytest.mark.slow


def document(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert main([*arguments, "-o", "json"]) == 0
    return dict(cleaned(json.loads(out.getvalue())))


def without_numbers(value: Any) -> str:
    """Return a story in which ages do not count, which differ by a moment."""
    return re.sub(r"\d+", "0", json.dumps(value))


@pytest.mark.parametrize("client", ["checkout-canary", "ledger", "reports", "app"])
def test_the_story_of_a_client_is_that_of_the_command(tools: Tools, client: str) -> None:
    expected = document("why", client)["items"]

    assert without_numbers(tools.document("why", client=client)["items"]) == without_numbers(expected)


def test_a_client_that_is_not_known_is_an_error_with_what_may_be_it(tools: Tools) -> None:
    text = tools.refusal("why", client="nobody")

    assert "no client nobody is known" in text
    assert "1402 connections of kafkajs 2.2.4" in text


@pytest.fixture(scope="session")
def costs(home: Path) -> str:
    """A table of the folder that the server may read."""
    rows = pa.table({"team": ["orders", "payments\x1b"], "units": [3, 5], "computed_by": ["CostAttribution"] * 2})
    write_deltalake(home / "tables" / "costs", rows)
    return str(home / "tables")


def test_tables_of_the_folder_are_listed_shown_and_queried(server: Tools, costs: str) -> None:
    [described] = document("tables", "list", costs)["items"]
    listed = server.document("tables")["items"]
    rows = server.document("table_rows", table="costs", where=["units >= 4"], columns=["team"])
    first = server.document("table_rows", table="costs", limit=1)
    query = "SELECT sum(units) AS units FROM costs"

    assert listed == [{name: value for name, value in described.items() if name != "path"}]
    assert rows["items"] == [{"team": "payments?"}]
    assert (len(first["items"]), first["left_out"], first["has_more"]) == (1, 1, True)
    assert server.document("sql", query=query)["items"] == document("tables", "sql", query, costs)["items"]


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("sql", {"query": "SELECT * FROM read_csv('/etc/passwd')"}, "A query reads the tables and nothing else"),
        ("sql", {"query": "SELECT 1", "where": ["a = 1"]}, "where is for tables of jobs"),
        ("table_rows", {"table": "../costs"}, "there is no table ../costs in the folder: it has costs"),
        ("table_rows", {"table": "costs", "columns": ["colour"]}, "the table has no column colour: it has team"),
        ("table_rows", {}, "give either table or job"),
        ("table_rows", {"job": "costs"}, "name a kubeconfig"),
    ],
)
def test_nothing_else_is_read(server: Tools, costs: str, tool: str, arguments: dict[str, Any], sentence: str) -> None:
    assert sentence in server.refusal(tool, **arguments)
