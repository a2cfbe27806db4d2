"""Checks the map: whole sums within its bounds, its numbers beside the command's, and the graphs around its cells."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.members import rebuild
from kwitness.console.index.tables import TRAFFIC
from kwitness.console.pages.graph_drawing import drawing
from kwitness.console.pages.map import SHADES
from kwitness.console.pages.numbers import rate
from kwitness.console.rows.map import MOST_COLUMNS, MOST_ROWS, MapView, matrix
from kwitness.console.rows.neighbours import MOST_FLOWS, MOST_NODES, neighbours
from kwitness.sandbox.session import published

from tests.collector.collector_process import CollectorProcess
from tests.console.fleet_samples import HOSTILE, LONG
from tests.console.open_console import OpenConsole, cells, figure, links, session_of
from tests.console.test_numbers import printed_by


@pytest.fixture(scope="module")
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def moved(index: Database, *flows: dict[str, Any]) -> None:
    """Have the index know these flows."""
    index.write(TRAFFIC.filled(json.dumps(flows)))
    rebuild(index)


def flow(team: str | None, topic: str, record_bytes: float | None, **more: Any) -> dict[str, Any]:
    owner = {"team": team} if team else None
    client = {"client_id": f"client-{team}", "principal": f"User:{team}", "owner": owner}
    return {"api": "Produce", **client, "topic": topic, "record_bytes_per_s": record_bytes, **more}


def test_a_topic_belongs_to_its_beginning_up_to_the_first_separator(index: Database) -> None:
    names = ["orders.eu", "orders-us", "orders_asia", "orders", "__consumer_offsets", "ordersold", "---", "-"]
    moved(index, *(flow("a", name, 1) for name in names))

    found = matrix(index, MapView())

    beginnings = {"orders": 4, "__consumer": 1, "ordersold": 1, "---": 1, "-": 1}
    assert dict(zip(found.columns, found.topics, strict=True)) == beginnings


def test_rows_and_columns_of_the_fewest_bytes_are_others_so_that_sums_are_whole(index: Database) -> None:
    flows = [
        flow(f"team-{team}", f"topic{column}.x", 1 + team * column)
        for team in range(MOST_ROWS + 5)
        for column in range(MOST_COLUMNS + 3)
    ]
    moved(index, *flows)

    found = matrix(index, MapView())

    assert (len(found.names), len(found.columns)) == (MOST_ROWS, MOST_COLUMNS)
    assert (found.other_names, found.other_columns) == (5, 3)
    assert set(found.names) == {f"team-{team}" for team in range(5, MOST_ROWS + 5)}
    total = sum(item["record_bytes_per_s"] for item in flows)
    assert sum(cell.bytes_per_s or 0 for cell in found.cells.values()) == total
    others = sum(
        item["record_bytes_per_s"] for item in flows if item["owner"]["team"] in {f"team-{n}" for n in range(5)}
    )
    assert sum(cell.bytes_per_s or 0 for (row, _), cell in found.cells.items() if row == MOST_ROWS) == others


def test_bytes_that_are_not_known_are_no_zero(index: Database) -> None:
    moved(index, flow("a", "x", None), flow("a", "y", 0), flow(None, "y", 3, api="Fetch"))

    found = matrix(index, MapView())

    by_name = {
        (found.names[row], found.columns[column]): cell.bytes_per_s for (row, column), cell in found.cells.items()
    }
    assert by_name == {("a", "x"): None, ("a", "y"): 0, (None, "y"): 3}


def test_one_direction_is_counted_alone(index: Database) -> None:
    moved(index, flow("a", "x", 5), flow("a", "x", 7, api="Fetch"), flow("a", "x", 2, api="ShareFetch"))

    assert matrix(index, MapView()).cells[0, 0] == (5, 9, ("reads", "writes"))
    assert matrix(index, MapView(direction="writes")).cells[0, 0] == (5, None, ("writes",))
    assert matrix(index, MapView(direction="reads")).cells[0, 0] == (None, 9, ("reads",))
    assert matrix(index, MapView(direction="' OR true --")).cells[0, 0] == (5, 9, ("reads", "writes"))


def test_a_graph_around_clients_has_their_topics_and_all_others_of_these(index: Database) -> None:
    moved(
        index,
        flow("a", "x", 5),
        flow("b", "x", 3, api="Fetch"),
        flow("b", "far", 3, api="Fetch"),
        flow("c", "other", 9),
        flow("a", "y.z", 1, api="Fetch"),
    )

    def found(**view: str) -> set[tuple[str, str, str]]:
        flows = neighbours(index, MapView(**view)).flows
        return {(item["name"], item["direction"], item["topic"]) for item in flows}

    of_a = {("User:a", "writes", "x"), ("User:b", "reads", "x"), ("User:a", "reads", "y.z")}
    assert found(owner="a") == found(application="User:a") == of_a
    assert found(client="client-a") == {
        ("client-a", *rest) if name == "User:a" else (name, *rest) for name, *rest in of_a
    }
    assert found(owner="a", prefix="y") == found(prefix="y") == {("User:a", "reads", "y.z")}
    assert found(topic="x") == of_a | {("User:b", "reads", "far")}
    assert found(owner="nobody") == set()


def test_a_graph_is_bounded_and_keeps_what_it_is_around(index: Database) -> None:
    flows = [
        flow(f"team-{number}", "busy", 1_000 + number, api=api) for number in range(60) for api in ("Produce", "Fetch")
    ]
    flows += [flow(f"team-{number}", f"small-{number}", 900, api="Fetch") for number in range(60)]
    moved(index, *flows, flow("least", "busy", 0), flow("least", "small-least", 0))

    found = neighbours(index, MapView(client="client-least"))

    assert "client-least" in {item["name"] for item in found.flows}
    assert (found.writer_count, found.topic_count, found.reader_count) == (61, 2, 60)
    assert found.flow_count == 122
    assert found.left_out == 122 - len(found.flows) > 0
    around = neighbours(index, MapView(topic="busy"))
    assert len(around.flows) <= MOST_FLOWS
    drawn = drawing(around.flows)
    assert len(drawn.nodes) <= MOST_NODES
    assert "busy" in {node.name for node in drawn.nodes}
    assert around.bytes_per_s == sum(item["record_bytes_per_s"] for item in flows)


def test_lines_of_a_graph_end_at_their_boxes_and_are_the_wider_the_more_bytes_they_have(index: Database) -> None:
    moved(index, flow("a", "x", 100), flow("b", "x", 25, api="Fetch"), flow("c", "x", None, api="Fetch"))

    drawn = drawing(neighbours(index, MapView(topic="x")).flows)

    nodes = {(node.layer, node.name): node for node in drawn.nodes}
    assert set(nodes) == {("writes", "User:a"), ("topic", "x"), ("reads", "User:b"), ("reads", "User:c")}
    widths = [edge.width for edge in drawn.edges]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 3
    middle = drawn.node_height // 2
    for edge in drawn.edges:
        begin = ("writes", edge.flow["name"]) if edge.flow["direction"] == "writes" else ("topic", "x")
        end = ("topic", "x") if edge.flow["direction"] == "writes" else ("reads", edge.flow["name"])
        x, y, *_, to_x, to_y = map(int, re.findall(r"\d+", edge.path))
        assert (x, y) == (nodes[begin].x + drawn.node_width, nodes[begin].y + middle)
        assert (to_x, to_y) == (nodes[end].x, nodes[end].y + middle)
    assert all(0 <= node.x <= drawn.width - drawn.node_width for node in drawn.nodes)
    assert all(0 <= node.y <= drawn.height - drawn.node_height for node in drawn.nodes)


@pytest.fixture
def known_to_commands(fleet: CollectorProcess, session_folder: Path) -> Iterator[None]:
    """Have commands of this process find the collector."""
    with published(session_of(fleet)):
        yield


@pytest.mark.usefixtures("known_to_commands")
async def test_the_map_has_the_sums_of_what_the_command_prints(shared: OpenConsole) -> None:
    page = await shared.get("/map")

    [answer] = await printed_by(page)

    sums: Counter[tuple[str, str]] = Counter()
    for item in answer["items"]:
        owner = item.get("owner", {}).get("team", "no owner")
        sums[owner, re.split("[._-]", item["topic"])[0]] += item["record_bytes_per_s"]
    columns = [
        html.unescape(name) for name in re.findall(r'scope="col" class="number"><a [^>]*><bdi>(.*?)</bdi>', page)
    ]
    shown = {
        (row[0], column): cell.rsplit("/s ", 1)[0] + "/s"
        for row in cells(page)[:-1]
        for column, cell in zip(columns, row[1:-1], strict=True)
        if cell != "\N{EN DASH}"
    }
    assert shown == {pair: rate(number).replace("\N{NO-BREAK SPACE}", " ") for pair, number in sums.items()}
    written, read = (
        sum(item["record_bytes_per_s"] for item in answer["items"] if (item["api"] == "Produce") == is_written)
        for is_written in (True, False)
    )
    assert (figure(page, "written"), figure(page, "read")) == (rate(written), rate(read))


@pytest.mark.usefixtures("known_to_commands")
@pytest.mark.parametrize(
    "query", ["topic=orders", "client=checkout", "owner=payments", "application=User:checkout", "prefix=postings"]
)
async def test_a_graph_has_the_flows_that_the_command_prints(shared: OpenConsole, query: str) -> None:
    page = await shared.get(f"/map?{query}")

    [answer] = await printed_by(page)

    shown = {(row[0], row[2], row[3], row[4]) for row in cells(page)}
    sums: Counter[tuple[str, str, str]] = Counter()
    for item in answer["items"]:
        sums[_shown_client(item, query), "writes" if item["api"] == "Produce" else "reads", item["topic"]] += item[
            "record_bytes_per_s"
        ]
    assert sums
    assert {(*names, rate(number).replace("\N{NO-BREAK SPACE}", " ")) for names, number in sums.items()} <= shown


def _shown_client(item: dict[str, Any], query: str) -> str:
    if query.startswith("client="):
        return str(item["client_id"])
    if "k8s_workload" in item:
        return f"{item['k8s_namespace']}/{item['k8s_workload']}"
    return str(item["client_id"] if item["principal"] == "User:ANONYMOUS" else item["principal"])


async def test_cells_open_their_graph_and_nodes_lead_on(shared: OpenConsole) -> None:
    page = await shared.get("/map")

    assert "/map?owner=orders&prefix=orders" in links(page)
    assert "/map?prefix=postings&without=owner" in links(page)
    graph = await shared.get("/map?owner=orders&prefix=orders")
    assert {"/map?topic=orders", "/map?application=User%3Acheckout", "/topics/orders"} <= set(links(graph))
    assert graph.count('class="edge') == len(cells(graph)) == 3
    by_application = await shared.get("/map?by=application&direction=writes")
    assert "/map?by=application&direction=writes&application=User%3Acheckout&prefix=orders" in links(by_application)
    assert 'id="read"' not in by_application
    assert {f"shade-{number}" for number in range(1, SHADES + 1)} >= set(re.findall(r"shade-\d", page)) != set()


async def test_names_that_clients_chose_are_text_in_a_graph(shared: OpenConsole) -> None:
    page = await shared.get("/map?topic=postings")

    assert "<script>alert" not in page
    assert "\u202e" not in page
    of_hostile = await shared.get(f"/map?client={quote(HOSTILE, safe='')}")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;?gnp?" in of_hostile
    assert "<script>alert" not in of_hostile
    client = await shared.get("/map?application=User:lengthy")
    assert "postings" in {row[3] for row in cells(client)}


async def test_a_graph_of_a_name_that_is_very_long_has_an_address(console: OpenConsole) -> None:
    # Observers report the beginning of such a client id alone.
    name = "z" * len(LONG)
    database = console.console._database
    database.write(TRAFFIC.added(json.dumps([{"api": "Produce", "client_id": name, "topic": "kept"}])))
    rebuild(database)

    page = await console.get("/map?topic=kept")

    [address] = [address for address in links(page) if address.startswith("/map?application=")]
    assert len(address) < 120
    assert len(cells(await console.get(address))) == 1


async def test_a_graph_of_nothing_leads_back_to_the_map(shared: OpenConsole) -> None:
    page = await shared.get("/map?owner=nobody&by=application")

    assert "Nothing of that is in use now" in page
    assert "/map?by=application" in links(page)
