"""Checks series of Prometheus: those of a real one, what is read for whom, and how bad answers are shown."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import pytest
import requests
from aiohttp import web
from playwright.async_api import Browser, expect

from kwitness.answers.access.local_route import LocalRoute
from kwitness.console.pages.numbers import clock
from kwitness.console.pages.series_queries import CHARTS, query_of
from kwitness.console.readers import Reader
from kwitness.console.sources.prometheus import ANSWER_BYTES, LIMIT_S, MOST_SERIES, POINTS, STEP_S
from kwitness.sandbox.ports import free_port

from tests.collector.backend_programs import Prometheus
from tests.collector.collector_process import CollectorProcess
from tests.console.chromium import THEMES
from tests.console.drawn import drawn
from tests.console.kept_console import kept, with_another_browser
from tests.console.open_console import OpenConsole, links, session_of

Answering = Callable[[str], web.Response]


def matrix(*series: dict[str, Any]) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(series)}}


class FakePrometheus:
    """An HTTP server in the place of Prometheus, which keeps the queries that it was sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.queries: list[str] = []
        self.answer: Answering = lambda _: web.json_response(matrix())
        self.delay_s: Callable[[str], float] = lambda _: 0.0

    async def respond(self, request: web.Request) -> web.StreamResponse:
        assert request.path == "/api/v1/query_range"
        [query] = parse_qs(await request.text())["query"]
        self.queries.append(query)
        await asyncio.sleep(self.delay_s(query))
        return self.answer(query)


@asynccontextmanager
async def fake(port: int | None = None) -> AsyncIterator[FakePrometheus]:
    port = port or free_port()
    server = FakePrometheus(f"http://127.0.0.1:{port}")
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.respond)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield server
    await runner.cleanup()


@asynccontextmanager
async def console_over(fleet: CollectorProcess, url: str | None) -> AsyncIterator[OpenConsole]:
    async with OpenConsole.over(LocalRoute(session_of(fleet)), prometheus=url) as console:
        await console.enter()
        await console.read()
        yield console


class Served(NamedTuple):
    """A console, and the Prometheus that it reads."""

    console: OpenConsole
    server: FakePrometheus


@pytest.fixture(scope="module")
def kept_reading(filled: CollectorProcess) -> Iterator[tuple[OpenConsole, int]]:
    """A console that reads a Prometheus at a port, and the port."""
    port = free_port()
    with kept(console_over(filled, f"http://127.0.0.1:{port}")) as console:
        yield console, port


@pytest.fixture
async def served(kept_reading: tuple[OpenConsole, int]) -> AsyncIterator[Served]:
    """That console with a browser and a Prometheus of the test."""
    kept_console, port = kept_reading
    async with fake(port) as server, with_another_browser(kept_console) as console:
        yield Served(console, server)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A real Prometheus with an hour of a client's and a topic's series."""
    server = Prometheus(tmp_path_factory.mktemp("prometheus") / "server")
    now_s = int(time.time())
    points = range(now_s - 3_600, now_s, 60)
    labels = {"client_id": "checkout", "topic": "orders", "api": "Produce", "client_instance_id": "1"}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in labels.items()]

    def data(value: Callable[[int], float]) -> list[dict[str, Any]]:
        return [
            {
                "attributes": attributes,
                "timeUnixNano": str(at * 10**9),
                "startTimeUnixNano": str(points[0] * 10**9),
                "asDouble": value(at),
            }
            for at in points
        ]

    metrics = [
        {
            "name": "kafka_client_record_bytes",
            "sum": {
                "dataPoints": data(lambda at: 250.0 * (at - points[0])),
                "isMonotonic": True,
                "aggregationTemporality": 2,
            },
        },
        {"name": "kwitness_client_info", "gauge": {"dataPoints": data(lambda _: 1.0)}},
        {"name": "kafka_client_fetch_lag_seconds", "gauge": {"dataPoints": data(lambda _: 7.5)}},
    ]
    sent = requests.post(
        server.endpoint,
        json={"resourceMetrics": [{"resource": {}, "scopeMetrics": [{"metrics": metrics}]}]},
        timeout=30,
    )
    assert sent.ok, sent.text
    yield server
    server.stop()


def values(page: str, title: str) -> list[float]:
    """Return the numbers of a chart's table."""
    table = page.partition(f'aria-label="Table of {title}"')[2].partition("</table>")[0]
    return [float(text) for text in re.findall(r'data-value="([^"]*)"', table)]


@pytest.mark.slow
async def test_series_of_a_real_prometheus_are_charts_with_their_numbers(
    prometheus: Prometheus, fleet: CollectorProcess
) -> None:
    async with console_over(fleet, prometheus.url) as console:
        of_client = await console.get("/series/clients/checkout")
        of_topic = await console.get("/series/topics/orders")
        page = await console.get("/clients/checkout")

    # The first points have less than the five minutes of which they are rates.
    _, _, *record_bytes = values(of_client, "record bytes")
    assert record_bytes == pytest.approx([250.0] * len(record_bytes))
    assert len(record_bytes) >= 15
    assert set(values(of_client, "instances that push")) == {1}
    assert "Prometheus has no such series" in of_client
    assert "answered in part" not in of_client + of_topic
    assert set(values(of_topic, "fetch lag")) == {7.5}
    assert 'hx-get="/series/clients/checkout" hx-trigger="load"' in page
    assert "/series/clients/checkout" in links(page)


async def test_without_a_prometheus_the_page_has_how_to_name_one(shared: OpenConsole) -> None:
    assert "start the console with --prometheus URL" in await shared.get("/series/topics/orders")


async def test_names_are_literals_of_queries_and_unknown_ones_are_not_queried(served: Served) -> None:
    console, server = served
    page = await console.get('/series/clients/nobody"} or up')
    assert "No source knows this name now" in page
    assert server.queries == []
    await console.get("/series/clients/checkout")
    assert len(server.queries) == len(CHARTS["client_id"])
    assert all('client_id="checkout"' in query for query in server.queries)
    assert query_of(CHARTS["topic"][1], ("topic", 'a"}\\ or up{b="'), None) == (
        'max by (client_id) (kafka_client_fetch_lag_seconds{topic="a\\"}\\\\ or up{b=\\""})'
    )


async def test_readers_of_namespaces_read_the_series_of_these_alone(served: Served) -> None:
    console, server = served
    console.door.reader = Reader("none", frozenset({"elsewhere"}))
    assert "No source knows this name now" in await console.get("/series/clients/app")
    assert server.queries == []
    console.door.reader = Reader("stranger", frozenset({"stranger"}))
    await console.get("/series/topics/postings")
    assert len(server.queries) == len([chart for chart in CHARTS["topic"] if not chart.is_for_all])
    assert all('topic="postings",k8s_namespace!="",k8s_namespace=~"stranger"' in query for query in server.queries)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda _: web.Response(text="<html>"), "200 and no JSON were answered"),
        (lambda _: web.Response(text="[" * 100_000), "no JSON were answered"),
        (lambda _: web.json_response([]), "it refused the query with 200"),
        (
            lambda _: web.json_response({"status": "error", "error": "<b>bad</b>"}, status=400),
            "(&lt;b&gt;bad&lt;/b&gt;)",
        ),
        (lambda _: web.json_response({"status": "success", "data": {"result": 7}}), "no series that can be read"),
        (lambda _: web.json_response(matrix({"metric": [], "values": []})), "no series that can be read"),
        (lambda _: web.json_response(matrix({"metric": {}, "values": [["x", "1"]]})), "no series that can be read"),
        (lambda _: web.json_response(matrix({"metric": {}, "values": [[1e999, "1"]]})), "no series that can be read"),
        (lambda _: web.Response(text="x" * (ANSWER_BYTES + 1)), "has more than 524,288 bytes"),
        (lambda _: web.HTTPFound("http://127.0.0.1:1/"), "302 and no JSON were answered"),
    ],
)
async def test_an_answer_without_sense_is_a_sentence(served: Served, answer: Answering, sentence: str) -> None:
    console, server = served
    server.answer = answer
    page = await console.get("/series/clients/checkout")

    assert "Prometheus answered in part." in page
    assert sentence in page
    assert "<figure" not in page


async def test_what_comes_in_time_is_shown_and_what_does_not_is_named(fleet: CollectorProcess) -> None:
    end_s = int(time.time()) // STEP_S * STEP_S
    series = [
        {"metric": {"api": f"{number}"}, "values": [[end_s, "5"], [end_s - STEP_S, "NaN"], [1, "9"]]}
        for number in range(MOST_SERIES + 3)
    ]
    async with fake() as server, console_over(fleet, server.url) as console:
        server.answer = lambda query: web.json_response(matrix(*(series if "record_bytes" in query else ())))
        server.delay_s = lambda query: LIMIT_S + 3 if "throttle" in query else 0
        began = time.monotonic()
        page = await console.get("/series/clients/checkout")
        assert time.monotonic() - began < LIMIT_S + 2

    assert "Time throttled: it did not answer within 2 s" in page
    assert page.count('class="line-') == MOST_SERIES
    assert "3 series left out" in page
    assert set(values(page, "record bytes")) == {5}
    assert page.count("<tr data-s=") == POINTS


async def test_a_prometheus_that_is_away_is_named_with_what_to_do(fleet: CollectorProcess) -> None:
    async with console_over(fleet, "http://127.0.0.1:9") as console:
        page = await console.get("/series/clients/checkout")

    assert "it cannot be reached (ClientConnector" in page
    assert "check --prometheus" in page


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_charts_are_drawn_in_both_themes_and_nothing_of_them_is_refused(
    browser: Browser, filled: CollectorProcess
) -> None:
    end_s = int(time.time()) // STEP_S * STEP_S
    series = [
        {"metric": {"api": api}, "values": [[end_s - STEP_S * place, str(place * 1_000)] for place in range(POINTS)]}
        for api in ("Produce", "Fetch")
    ]
    async with fake() as server, console_over(filled, server.url) as console:
        server.answer = lambda query: web.json_response(matrix(*(series if "record_bytes" in query else ())))
        async with drawn(browser, console) as shown:
            for theme in THEMES:
                await shown.page.emulate_media(color_scheme=theme)
                await shown.goto("/clients/checkout")
                await shown.page.locator("#series figure canvas").wait_for()
                assert await shown.page.locator("#series canvas").count() == 1
                assert await shown.findings() == [], theme
            await expect(shown.page.locator("#series .lines .value")).to_have_text(["0", "0"])
            hour = await shown.page.locator("#series .at").inner_text()
            await shown.page.locator("#series .u-over").hover(position={"x": 1, "y": 20})
            await expect(shown.page.locator("#series .lines .value")).to_have_text([f"{POINTS - 1}k"] * 2)
            assert await shown.page.locator("#series .at").inner_text() != hour
            assert await shown.page.locator("#series .at").inner_text() == f"{clock(end_s - STEP_S * (POINTS - 1))}"
            await shown.page.set_viewport_size({"width": 320, "height": 640})
            assert await shown.width() == 320
