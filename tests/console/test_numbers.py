"""Checks that pages show the numbers that the lines of their drawer print."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from kwitness.answers.views.elapsed import span
from kwitness.cli.__main__ import main
from kwitness.sandbox.session import published

from tests.collector.collector_process import CollectorProcess
from tests.console.open_console import OpenConsole, cells, figure, in_thread, lines, session_of


@pytest.fixture(autouse=True)
def known_to_commands(fleet: CollectorProcess, session_folder: Path) -> Iterator[None]:
    """Have commands of this process find the collector."""
    with published(session_of(fleet)):
        yield


def printed(line: str) -> Any:
    """Return what a line of the drawer prints as JSON."""
    program, *arguments = shlex.split(line)
    assert program == "kwitness"
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        status = main([*arguments, "--output", "json"])
    assert status == 0, errors.getvalue()
    return json.loads(out.getvalue())


async def printed_by(page: str) -> list[Any]:
    """Return what all lines of the command print that a page has."""
    return [
        await in_thread(printed, line) for line in lines(page) if line.startswith("kwitness ") and "sql" not in line
    ]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?owner=orders",
        "?owner=pay*",
        "?software=apache-kafka-java",
        "?software=apache-kafka-java&version=3.8.0",
        "?by=client&application=User:checkout",
        "?by=client&application=stranger/app",
        "?by=client&application=reports",
    ],
)
async def test_fleet_has_the_numbers_of_clients_and_connections(shared: OpenConsole, query: str) -> None:
    page = await shared.get(f"/{query}")

    clients, connections, silent = await printed_by(page)

    pushing = [item for item in clients["items"] if item.get("last_push_ms") and not item.get("terminated")]
    assert figure(page, "pushing") == str(len(pushing))
    assert figure(page, "connections") == str(sum(item["connections"] for item in connections["items"]))
    unnamed = sum(item["connections"] for item in silent["items"] if not item.get("client_id"))
    assert ("unnamed" in page) == (not query)
    if not query:
        assert figure(page, "unnamed").replace("\N{NARROW NO-BREAK SPACE}", "") == str(unnamed)


async def test_topics_have_the_numbers_of_the_command(shared: OpenConsole) -> None:
    page = await shared.get("/topics")

    topics, groups = await printed_by(page)

    by_topic = {row[0]: row for row in cells(page)}
    assert by_topic.keys() == {item["topic"] for item in topics["items"]}
    for item in topics["items"]:
        row = by_topic[item["topic"]]
        assert (row[2], row[3]) == (str(item["writers"]), str(item["readers"]))
        assert (row[4].startswith("0"), row[5].startswith("0")) == (
            item["bytes_in_per_s"] == 0,
            item["bytes_out_per_s"] == 0,
        )
    assert {item["topic"] for item in groups["items"]} == {name for name, row in by_topic.items() if "group" in row[7]}


async def test_a_topic_has_the_clients_and_groups_of_the_command(shared: OpenConsole) -> None:
    page = await shared.get("/topics/orders")

    clients, groups, pushing, connected = await printed_by(page)

    shown = {(row[0].split()[0], row[1]) for row in cells(page)}
    does = {"Produce": "writes", "Fetch": "reads"}
    assert shown == {(item["client_id"], does[item["api"]]) for item in clients["items"]}
    throttled = {row[0].split()[0]: row[7] for row in cells(page)}
    assert throttled["reports"] == "9s"
    rows = _rows_after(page, "Groups that commit offsets of this topic")
    assert [(row[0], row[3].replace(" ", "")) for row in rows] == [
        (item["group_id"], str(item["committed_lag"])) for item in groups["items"]
    ]
    # The lines for members are those of the first group, the furthest behind that has a time.
    assert (rows[0][0], rows[0][2], rows[0][4]) == ("ledger-group", "3s", "1")
    assert (rows[1][0], rows[1][2], rows[1][4]) == ("reports-group", "not known", "not known")
    assert [item.get("went_back_records") for item in groups["items"]] == [4_000, None]
    assert rows[0][5].replace(" ", "").startswith("4000records")
    assert rows[1][5] == "not seen"
    assert pushing["items"] == []
    assert _rows_after(page, "Members that pushes or open connections name") == [
        ["ledger", "ledger-group", "User:ledger", "payments payments@example.org", "\N{EN DASH}", "1", "reads"]
    ]
    assert [item["client_id"] for item in connected["items"]] == ["ledger"]
    assert figure(page, "writers") == "2"
    assert figure(page, "readers") == "2"


async def test_a_client_has_the_instances_and_connections_of_the_command(shared: OpenConsole) -> None:
    page = await shared.get("/clients/checkout")

    why, clients, connections, topics = await printed_by(page)

    assert len(why["items"]) == len(clients["items"]) == 2
    assert figure(page, "instances") == "2"
    assert figure(page, "connections") == str(len(connections["items"]))
    assert [item["client_instance_id"] for item in clients["items"]] == ["instance-1", "instance-2"]
    assert "instance-1" in page
    assert "instance-2" in page
    assert {item["topic"] for item in topics["items"]} == {"orders"}
    steps = [sentence for item in why["items"] for sentence in item["sections"]["What to do next"]]
    assert {row[6] for row in _rows_after(page, "Instances, the newest pushes first")} == set(steps)


async def test_a_client_has_the_lag_of_its_groups_as_the_command_has_it(console: OpenConsole) -> None:
    page = await console.get("/clients/ledger")

    [group] = [await in_thread(printed, line) for line in lines(page) if line.startswith("kwitness groups ")]

    [item] = group["items"]
    [row] = _rows_after(page, 'aria-label="Table of its groups"')
    assert row[:4] == [item["group_id"], item["topic"], span(item["committed_lag_ms"]), str(item["committed_lag"])]
    assert row[4].replace(" ", "").startswith(f"{item['went_back_records']}records")


def _rows_after(page: str, mark: str) -> list[list[str]]:
    return cells(page.partition(mark)[2])
