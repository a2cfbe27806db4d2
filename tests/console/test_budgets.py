"""Checks how much a browser loads, and how much processor and memory an index of a large fleet takes."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.reader_schemas import MOST_SCHEMAS, ReaderSchemas
from kwitness.console.index.trends import POINTS, Trends
from kwitness.console.readers import Reader
from kwitness.console.rows.clients import client_named
from kwitness.console.rows.fleet import FleetView, fleet_rows
from kwitness.console.rows.map import MapView, matrix
from kwitness.console.rows.neighbours import neighbours
from kwitness.console.rows.topics import TopicsView, topic_clients, topic_named, topic_rows
from kwitness.console.rows.trends import trends_of

from tests.console.large_fleet import CLIENT_COUNT, FLOW_COUNT, NAMESPACE_COUNT, fill
from tests.console.open_console import OpenConsole, cells

KB = 1_000
FIRST_VISIT, LATER_PAGE, SCRIPTS = 120 * KB, 40 * KB, 45 * KB
OF_ALL, OF_ONE = Reader("of all", None), Reader("of one", frozenset({"namespace-17"}))
READERS = [Reader("", frozenset({f"namespace-{number}"})) for number in range(MOST_SCHEMAS)]
MOST_S_TO_MAKE = 0.15
"""Seconds to make the rows of a reader of one namespace."""
MOST_S = 0.05
SLACK = 2
"""Machines of tests are slower than their processor at times, since others use its caches."""


def remember(index: Database) -> None:
    """Have the index an hour's trends."""
    trends = Trends()
    for minute in range(1, POINTS + 1):
        index.write(("UPDATE traffic SET until_ms = ? WHERE topic = 'topic-7'", [minute]))
        trends.add(index, minute * 60_000)


async def loaded(console: OpenConsole, path: str) -> int:
    """Return the bytes of an answer as they come."""
    async with console.browser.get(
        f"{console.door.address}{path}", headers={"Accept-Encoding": "gzip"}, auto_decompress=False
    ) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Encoding"] == "gzip"
        return len(await answer.read())


async def test_a_page_of_a_hundred_rows_and_all_that_it_needs_are_small(console: OpenConsole) -> None:
    fill(console.console._database, 2_000, 4_000)
    path = "/?by=client"
    page = await console.get(path)
    assert len(cells(page)) == 100

    files = re.findall(r'(?:src|href)="(/static/[^"]*)"', page)
    later = await loaded(console, path)
    first = later + sum([await loaded(console, file) for file in files])

    assert len(files) == 5
    assert later < LATER_PAGE
    assert first < FIRST_VISIT


async def test_a_page_with_charts_and_all_that_it_needs_are_small(shared: OpenConsole) -> None:
    page = await shared.get("/clients/checkout")

    files = re.findall(r'(?:src|href)="(/static/[^"]*)"', page)
    sizes = {file: await loaded(shared, file) for file in files}

    assert "/static/uPlot.iife.min.js" in files
    assert sum(size for file, size in sizes.items() if file.endswith(".js")) < SCRIPTS
    assert await loaded(shared, "/clients/checkout") + sum(sizes.values()) < FIRST_VISIT


@pytest.fixture(scope="module")
def large() -> Iterator[ReaderSchemas]:
    index = new_index()
    fill(index, CLIENT_COUNT, FLOW_COUNT)
    remember(index)
    yield ReaderSchemas(index)
    index.close()


@pytest.mark.slow
@pytest.mark.parametrize("reader", [OF_ALL, OF_ONE], ids=lambda reader: reader.name)
@pytest.mark.parametrize(
    "select",
    [
        lambda index: fleet_rows(index, FleetView()),
        lambda index: fleet_rows(index, FleetView(by="client", page=150)),
        lambda index: fleet_rows(index, FleetView(search="application-77")),
        lambda index: topic_rows(index, TopicsView()),
        lambda index: (topic_named(index, "topic-7"), topic_clients(index, "topic-7")),
        lambda index: client_named(index, "application-7-client-77", 1),
        lambda index: trends_of(index, "topic", [f"topic-{number}" for number in range(100)]),
        lambda index: matrix(index, MapView()),
        lambda index: matrix(index, MapView(by="application")),
        lambda index: neighbours(index, MapView(topic="topic-7")),
        lambda index: neighbours(index, MapView(prefix="topic")),
    ],
)
def test_rows_of_a_page_of_a_large_fleet_need_little_of_the_processor(
    large: ReaderSchemas, reader: Reader, select: Callable[[Database], Any]
) -> None:
    spent = []
    with large.seen_by(reader) as seen:
        for _ in range(3):
            began = time.process_time()
            found = select(seen.database)
            spent.append(time.process_time() - began)

    assert found
    assert min(spent) < MOST_S * SLACK, spent


@pytest.mark.slow
def test_a_point_of_trends_of_a_large_fleet_needs_little_of_the_processor(large: ReaderSchemas) -> None:
    with large.seen_by(Reader("all", None)) as seen:
        seen.database.write("UPDATE traffic SET until_ms = 100 WHERE topic = 'topic-7'")
        began = time.process_time()
        Trends().add(seen.database, (POINTS + 1) * 60_000)

        assert time.process_time() - began < MOST_S * SLACK
        assert seen.database.row("SELECT count(DISTINCT minute) AS number FROM trends") == {"number": POINTS}


@pytest.mark.slow
def test_to_make_the_rows_of_a_reader_needs_little_of_the_processor(large: ReaderSchemas) -> None:
    spent = []
    with large.seen_by(OF_ONE) as seen:
        for _ in range(3):
            began = time.process_time()
            large.make_again()
            spent.append(time.process_time() - began)
        clients = seen.database.row("SELECT count(DISTINCT client_id) AS number FROM members")["number"]

    assert clients == CLIENT_COUNT / NAMESPACE_COUNT
    assert min(spent) < MOST_S_TO_MAKE * SLACK, spent


def use(readers: ReaderSchemas) -> None:
    """Make the rows of as many readers as are kept."""
    for reader in READERS:
        with readers.seen_by(reader):
            pass


@pytest.mark.slow
def test_an_index_that_is_filled_again_and_again_keeps_its_memory() -> None:
    program = (
        "from tests.console.test_budgets import *; index = new_index(); readers = ReaderSchemas(index)\n"
        "for _ in range(2): fill(index, CLIENT_COUNT, FLOW_COUNT); remember(index)\n"
        "use(readers); fill(index, CLIENT_COUNT, FLOW_COUNT); readers.make_again()\n"
        # Not ru_maxrss, which counts the process that this one was forked from.
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM:')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert int(done.stdout) * 1024 < 512 * 1024 * 1024
