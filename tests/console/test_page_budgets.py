"""Checks how much of a processor whole pages of a large fleet take, and reading sources again and again."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from kwitness.console.sources.source import PERIOD_S

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch
from tests.collector.event_samples import request
from tests.console.conftest import opened
from tests.console.fleet_samples import moved, pushed, window
from tests.console.large_fleet import CLIENT_COUNT, FLOW_COUNT, fill, invented, large_addresses
from tests.console.open_console import OpenConsole, figure, session_of
from tests.console.test_budgets import MOST_S, SLACK
from tests.console.test_pages import AWAY

LEAST_CHARACTERS = 5_000
READ_COUNT, AT_ONCE = 2_000, 500
MOST_A_MINUTE_S = 2


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def large() -> AsyncIterator[OpenConsole]:
    """A console whose index has the large fleet; its collector is away."""
    async with opened(AWAY) as console:
        fill(console.console._database, CLIENT_COUNT, FLOW_COUNT)
        yield console


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", large_addresses())
async def test_a_page_of_a_large_fleet_needs_little_of_the_processor(large: OpenConsole, path: str) -> None:
    """Measures the process of console and reader: the query, rows, template, compression, and the reading of it."""
    spent = []
    for _ in range(4):
        began = time.process_time()
        page = await large.get(path)
        spent.append(time.process_time() - began)

    assert "<tbody>" in page
    assert len(page) > LEAST_CHARACTERS
    assert min(spent) < MOST_S * SLACK, spent


@pytest.mark.slow
async def test_reading_again_keeps_the_period_up_to_thousands_of_clients(collector: CollectorProcess) -> None:
    """Measures the sources over HTTP: parsing, checks, and the tables of the index; and putting it together."""
    for first in range(0, READ_COUNT, AT_ONCE):
        now_ms = int(time.time() * 1000)
        clients = [
            {key: value for key, value in invented(n).items() if key != "owner"} for n in range(first, first + AT_ONCE)
        ]
        pushes = [pushed(first + place, client, now_ms) for place, client in enumerate(clients)]
        assert collector.push(batch(pushes)).status == 200
        traffic = [moved(client, f"topic-{first % 7}", 1) for client in clients]
        assert collector.observe(request(totals=[window(now_ms, traffic=traffic)])).status == 200
    async with opened(session_of(collector)) as console:
        await console.read()
        shown = figure(await console.get("/"), "pushing")
        assert shown.replace("\N{NARROW NO-BREAK SPACE}", "") == str(READ_COUNT)
        await console.read()

        worked = {name: source.worked_s for name, source in console.console.sources.items()}
        a_read = sum(worked.values()) + console.console.assembly.worked_s

    assert a_read * 60 / PERIOD_S < MOST_A_MINUTE_S * SLACK, worked
