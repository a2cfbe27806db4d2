"""Checks the numbers of the last hour that the index keeps, for whom, and how they are drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.hour_totals import HOUR_TOTALS, MINUTES, MOST_NAMESPACES, HourTotals
from kwitness.console.index.members import rebuild
from kwitness.console.index.reader_schemas import ReaderSchemas
from kwitness.console.index.tables import CLIENTS, CONNECTIONS, TRAFFIC
from kwitness.console.pages.axes import ticks
from kwitness.console.pages.line_chart import HEIGHT, line_chart
from kwitness.console.pages.numbers import rate
from kwitness.console.readers import Reader
from kwitness.console.rows.last_hour import last_hour

from tests.console.conftest import opened
from tests.console.drawn import drawn
from tests.console.test_pages import AWAY

MINUTE = 60_000


@pytest.fixture
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def fill(index: Database, until_ms: int, connections: int = 0, *flows: dict[str, Any]) -> None:
    """Have observers list connections, and have counted flows until a time."""
    listed = [{"client_id": "a", "k8s_namespace": "shop"}] * connections
    counted = [{"client_id": "a", "topic": "t", "until_ms": until_ms, **flow} for flow in flows]
    index.write(CONNECTIONS.filled(json.dumps(listed)), TRAFFIC.filled(json.dumps(counted)))
    rebuild(index)


def test_a_minute_has_its_last_numbers_and_bytes_where_observers_counted_more(index: Database) -> None:
    hour = HourTotals()
    written, read = {"api": "Produce", "record_bytes_per_s": 5.0}, {"api": "Fetch", "record_bytes_per_s": 7.0}
    for minute, until_ms, connections in [(1, 10, 1), (1, 11, 2), (2, 11, 3), (3, 12, 4)]:
        fill(index, until_ms, connections, written, read)
        hour.add(index, minute * MINUTE + until_ms)

    assert last_hour(index) == [
        {"minute": 1, "connections": 2, "pushing": 0, "written": 5, "read": 7},
        {"minute": 2, "connections": 3, "pushing": 0, "written": None, "read": None},
        {"minute": 3, "connections": 4, "pushing": 0, "written": 5, "read": 7},
    ]


def test_an_hour_is_kept(index: Database) -> None:
    hour = HourTotals()
    for minute in range(1, MINUTES + 4):
        hour.add(index, minute * MINUTE)

    assert [(row["minute"], row["connections"]) for row in last_hour(index)] == [
        (minute, 0) for minute in range(4, MINUTES + 4)
    ]


def test_instances_that_push_are_those_of_fleet(index: Database) -> None:
    pushed = {"last_push_ms": 1, "k8s_namespace": "shop", "k8s_namespace_proven": True}
    items = [pushed, {**pushed, "k8s_namespace_proven": False}, {**pushed, "terminated": True}, {"k8s_namespace": "x"}]
    index.write(CLIENTS.filled(json.dumps([{**item, "key": str(number)} for number, item in enumerate(items)])))

    HourTotals().add(index, MINUTE)

    assert index.rows("SELECT k8s_namespace, pushing FROM hour_totals ORDER BY ALL") == [
        {"k8s_namespace": "shop", "pushing": 1},
        {"k8s_namespace": None, "pushing": 1},
    ]


def test_namespaces_beyond_the_bound_are_in_the_sums_of_all(index: Database) -> None:
    names = [f"n{number}" for number in range(MOST_NAMESPACES + 5) for _ in range(1 if number else 2)]
    index.write(CONNECTIONS.filled(json.dumps([{"k8s_namespace": name} for name in names])))

    HourTotals().add(index, MINUTE)

    assert index.row("SELECT count(*) AS rows, max(connections) AS largest FROM hour_totals") == {
        "rows": MOST_NAMESPACES + 1,
        "largest": 5,
    }
    assert last_hour(index)[0]["connections"] == len(names)


def test_readers_of_a_namespace_have_the_numbers_of_it_alone(index: Database) -> None:
    schemas = ReaderSchemas(index)
    listed = [{"k8s_namespace": "shop"}, {"k8s_namespace": "bank"}, {"k8s_namespace": "bank"}, {}]
    counted = [
        {"api": "Produce", "topic": "t", "client_id": f"{place}", "record_bytes_per_s": 10.0**place, **item}
        for place, item in enumerate(listed)
    ]
    index.write(
        CONNECTIONS.filled(json.dumps(listed)),
        TRAFFIC.filled(json.dumps([{**item, "until_ms": 1} for item in counted])),
    )
    rebuild(index)
    HourTotals().add(index, MINUTE)

    def seen(*namespaces: str) -> list[tuple[int, float]]:
        with schemas.seen_by(Reader("", frozenset(namespaces) or None)) as view:
            return [(row["connections"], row["written"]) for row in last_hour(view.database)]

    assert seen("shop") == [(1, 1)]
    assert seen("bank") == [(2, 110)]
    assert seen("other") == []
    assert seen() == [(4, 1111)]


def test_axes_have_few_round_numbers() -> None:
    assert ticks(0) == [0, 1]
    assert ticks(4) == [0, 1, 2, 3, 4]
    assert ticks(29) == [0, 10, 20, 30]
    assert ticks(1_650_000) == [0, 500_000, 1_000_000, 1_500_000, 2_000_000]


def test_a_chart_has_axes_lines_with_gaps_words_and_minutes() -> None:
    chart = line_chart(
        [29_000_001, 29_000_002, 29_000_004], {"written": [2_000.0, 0.0, 4_000.0], "read": [None] * 3}, rate
    )

    assert chart is not None
    written, read = chart.lines
    assert written.path == f"M94.92 51 96.61 {HEIGHT}M100 6h0"
    assert written.area == f"M94.92 {HEIGHT}L94.92 51 96.61 {HEIGHT}V{HEIGHT}Z"
    assert (read.path, read.area) == ("", "")
    assert [tick.text for tick in chart.numbers] == ["0\xa0B/s", "1\xa0kB/s", "2\xa0kB/s", "3\xa0kB/s", "4\xa0kB/s"]
    assert [tick.text for tick in chart.times] == ["20:30", "20:45", "21:00", "21:15"]
    assert chart.label == "written: at least 0\xa0B/s, at most 4\xa0kB/s, last 4\xa0kB/s"
    numbers = [(1, 6, "4\xa0kB/s", "written"), (2, None, "\N{EN DASH}", "read")]
    assert chart.minutes[-1] == (100, 99.15, "21:24", numbers)
    assert [minute.time for minute in chart.minutes] == ["21:21", "21:22", "21:24"]
    assert line_chart([1, 2], {"written": [1.0, 2.0]}, rate) is None
    assert line_chart([], {"written": []}, rate) is None


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_the_minute_under_the_pointer_shows_its_numbers_without_a_script(browser: Browser) -> None:
    numbers = {"pushing": 1, "written": 2_000.0, "read": None}
    rows = [{"minute": 29_000_000 + at, "connections": 5 + at, **numbers} for at in range(MINUTES)]
    async with opened(AWAY) as console, drawn(browser, console, java_script_enabled=False) as shown:
        console.console._database.write(HOUR_TOTALS.filled(json.dumps(rows)))
        await shown.goto("/")
        for key, text in [
            ("clients", "21:30 15 connections 1 instances that push"),
            ("bytes", "21:30 2 kB/s written \N{EN DASH} read"),
        ]:
            chart = shown.page.locator(f"#plot-{key}")
            point = chart.locator(".point").nth(10)
            await expect(point.locator("text")).to_be_hidden()
            await point.locator("rect").hover()
            await expect(chart.locator(".point text:visible")).to_have_text([text])
            await expect(chart.locator(".time:visible")).to_have_count(0)
            await expect(point.locator("circle")).to_have_count(2 if key == "clients" else 1)
