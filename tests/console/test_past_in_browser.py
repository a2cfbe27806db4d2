"""Draws an hour of the past: the page that waits becomes that of the hour, and nothing on it is refused."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from kwitness.answers.access.local_route import LocalRoute
from kwitness.console import process
from kwitness.console.sources.past_source import PastSource
from kwitness.console.sources.tables import TableSources

from tests.console.drawn import NARROW, Drawn, drawn
from tests.console.open_console import OpenConsole
from tests.console.sight_samples import SIGHTS
from tests.console.table_samples import read_here, write_table
from tests.console.test_pages import AWAY
from tests.console.traffic_samples import AT, moved, write_traffic

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def check(shown: Drawn) -> None:
    """Have axe check a page in both themes."""
    assert await shown.findings_in_themes() == []


async def test_the_page_that_waits_becomes_that_of_the_hour(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "TableSources", functools.partial(TableSources, read=read_here))
    monkeypatch.setattr(process, "PastSource", functools.partial(PastSource, read=read_here))
    write_traffic(tmp_path, [moved("desk", "orders", 7_200_000, principal="User:desk", owner="orders")])
    write_table(tmp_path, "ClientInventory", SIGHTS)
    async with OpenConsole.over(LocalRoute(AWAY), tables=tmp_path) as console:
        await console.enter()
        await console.read("tables")
        async with drawn(browser, console) as shown:
            await shown.goto(f"/?at={AT}")
            await expect(shown.page.get_by_text("Reading that hour")).to_be_visible()
            await check(shown)
            await console.console.past.read_once()

            await expect(shown.page.locator("#past")).to_contain_text("Numbers are means of that hour")
            await expect(shown.page.get_by_role("link", name="left")).to_be_visible()
            await shown.goto(f"/?at={AT}&owner=orders")
            await shown.page.get_by_role("button", name="Begin with clients of orders").click()
            await expect(shown.page.get_by_role("link", name="Mine")).to_have_attribute("aria-current", "true")
            await expect(shown.page.get_by_role("link", name="came")).to_be_visible()
            await check(shown)
            await shown.page.set_viewport_size(NARROW)
            assert await shown.width() <= NARROW["width"]
            await shown.page.get_by_role("link", name="User:desk").click()
            await expect(shown.page).to_have_url(f"{console.door.address}/clients/desk?at=2026-11-24T14%3A00Z")
            await shown.page.get_by_label("An hour of the past, UTC").fill("2026-11-24T11:00")
            await shown.page.get_by_role("button", name="Show that hour").click()
            await console.console.past.read_once()
            await expect(shown.page.get_by_text("That hour is not kept")).to_be_visible()
            await check(shown)
            await shown.page.get_by_role("link", name="Back to now").click()
            await expect(shown.page).to_have_url(f"{console.door.address}/clients/desk")
