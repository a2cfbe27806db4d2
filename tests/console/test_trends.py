"""Checks what the index keeps of the last hour, for whom, and how pages draw it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.hour_totals import HourTotals
from kwitness.console.index.members import rebuild
from kwitness.console.index.reader_schemas import ReaderSchemas
from kwitness.console.index.tables import TRAFFIC
from kwitness.console.index.trends import MOST_ROWS, POINTS, Trends
from kwitness.console.pages.sparkline import sparkline
from kwitness.console.readers import Reader
from kwitness.console.rows.trends import trends_of

from tests.console.open_console import OpenConsole, figure

MINUTE = 60_000


@pytest.fixture
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def count(index: Database, until_ms: int, *flows: dict[str, Any]) -> None:
    """Have observers have counted these flows until a time."""
    items = [{"api": "Produce", "client_id": "a", "topic": "t", "until_ms": until_ms, **flow} for flow in flows]
    index.write(TRAFFIC.filled(json.dumps(items)))
    rebuild(index)


def test_a_minute_has_a_point_where_observers_counted_more(index: Database) -> None:
    trends = Trends()
    for minute, until_ms, written in [(1, 10, 5.0), (1, 11, 6.0), (2, 10, 7.0), (4, 12, 8.0), (5, 12, 9.0)]:
        count(index, until_ms, {"record_bytes_per_s": written})
        trends.add(index, minute * MINUTE)

    [trend] = trends_of(index, "topic", ["t", "unknown"]).values()

    assert trend.written[-4:] == [5, None, None, 8]
    assert set(trend.written[:-4]) == {None}


def test_an_hour_is_kept_of_topics_and_applications_by_their_sums(index: Database) -> None:
    trends = Trends()
    counted = [1, 8, 9, 10, 11, 40, POINTS + 8, POINTS + 9]
    for minute in counted:
        flows = [
            {"record_bytes_per_s": float(minute), "principal": "User:x"},
            {"record_bytes_per_s": 1.0, "principal": "User:x", "topic": "other"},
            {"api": "Fetch", "principal": "User:y", "fetch_lag_ms": minute, "record_bytes_per_s": 3.0},
        ]
        count(index, minute, *flows)
        trends.add(index, minute * MINUTE)

    minutes = [minute if minute in counted else None for minute in range(10, POINTS + 10)]
    of_topics = trends_of(index, "topic", ["t", "other"])
    assert of_topics["t"] == (minutes, minutes)
    assert of_topics["other"].written == [minute and 1 for minute in minutes]
    of_applications = trends_of(index, "application", ["User:x", "User:y", "t"])
    assert of_applications["User:x"].written == [minute and minute + 1 for minute in minutes]
    assert of_applications["User:y"] == ([None] * POINTS, minutes)
    assert "t" not in of_applications


def test_a_point_has_no_more_rows_than_its_bound(index: Database) -> None:
    flows = [{"topic": f"t{number}", "record_bytes_per_s": float(number)} for number in range(MOST_ROWS + 5)]
    count(index, 1, *flows)

    Trends().add(index, MINUTE)

    assert index.row("SELECT count(*) AS number FROM trends") == {"number": MOST_ROWS}
    assert "t0" not in trends_of(index, "topic", ["t0"])
    assert f"t{MOST_ROWS}" in trends_of(index, "topic", [f"t{MOST_ROWS}"])


def test_readers_of_a_namespace_have_the_trends_of_what_was_seen_in_it(index: Database) -> None:
    schemas, trends = ReaderSchemas(index), Trends()
    place = {"k8s_namespace": "shop", "k8s_workload": "front"}
    with schemas.seen_by(Reader("shop", frozenset({"shop"}))):
        pass
    for minute in (1, 2, 3):
        count(
            index,
            minute,
            {"record_bytes_per_s": 1.0, **place},
            {"record_bytes_per_s": 10.0},  # of the same client at a gateway, which proves no namespace
            {"record_bytes_per_s": 100.0, "k8s_namespace": "bank", "k8s_workload": "vault", "client_id": "b"},
        )
        trends.add(index, minute * MINUTE)
        schemas.make_again()

    def seen(reader: Reader) -> dict[str, float | None]:
        with schemas.seen_by(reader) as view:
            found = trends_of(view.database, "topic", ["t"]) | trends_of(
                view.database, "application", ["shop/front", "bank/vault"]
            )
            return {name: trend.written[-1] for name, trend in found.items()}

    assert seen(Reader("shop", frozenset({"shop"}))) == {"t": 1, "shop/front": 1}
    assert seen(Reader("bank", frozenset({"bank"}))) == {"t": 100, "bank/vault": 100}
    assert seen(Reader("none", frozenset())) == {}
    assert seen(Reader("all", None)) == {"t": 111, "shop/front": 11, "bank/vault": 100}


def test_a_line_has_gaps_where_nothing_was_counted_and_its_words() -> None:
    line = sparkline([None, 2.0, 4.0, None, 4.0, 0.0], "Written", lambda value: f"{value:g} B")

    assert line is not None
    assert line.path == "M1 10h1m-1 0l1 -9M4 1h1m-1 0l1 18"
    assert line.label == "Written in the last hour: at least 0 B, at most 4 B, last 0 B"
    assert sparkline([1.0, None, 1.0], "Written", str) is None
    flat = sparkline([0, 0, 0], "Written", str)
    assert flat is not None
    assert flat.path == "M0 19h1m-1 0h2"


async def test_pages_draw_the_last_hour(console: OpenConsole) -> None:
    database, trends, hour = console.console._database, Trends(), HourTotals()
    now = int(time.time() * 1000)
    for minute in (1, 2, 3):
        database.write(("UPDATE traffic SET until_ms = until_ms + ?", [minute]))
        trends.add(database, now + minute * MINUTE)
        hour.add(database, now + minute * MINUTE)

    for path, lines in [("/", 4), ("/topics", 2), ("/topics/orders", 2)]:
        page = await console.get(path)
        assert page.count('<svg class="trend"') == lines, path
        assert 'role="img" aria-label="Written in the last hour: at least ' in page
    page = await console.get("/")
    assert (
        'aria-label="Clients in the last hour. connections: at least 6, at most 6, last 6; instances that push: '
        in page
    )
    assert '<div class="plot" id="plot-bytes">' in page
    assert figure(page, "named") == "&lt; 1&nbsp;%"
    assert 'id="plot-' not in await console.get("/?owner=orders")
