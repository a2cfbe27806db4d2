"""Draws pages in Chromium: in both themes, without findings of axe, and at 320 pixels."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

from kwitness.answers.access.local_route import LocalRoute
from kwitness.sandbox.session import Session

from tests.collector.collector_process import CollectorProcess
from tests.console.chromium import THEMES, chromium
from tests.console.open_console import OpenConsole, session_of
from tests.console.test_pages import AWAY

pytestmark = pytest.mark.slow
PAGES = {
    "fleet": "/",
    "fleet-clients": "/?by=client&order=-lag_ms",
    "topics": "/topics",
    "topic": "/topics/orders",
    "client": "/clients/checkout-canary",
    "nothing": "/?owner=nobody",
}
NARROW, WIDE = {"width": 320, "height": 640}, {"width": 1280, "height": 800}
PICTURES = os.environ.get("KWITNESS_PICTURES")
"""A folder to which pictures of the wide pages are written."""


class Drawn:
    """A page of a browser that was let in, and what it complained about."""

    def __init__(self, page: Page, console: OpenConsole) -> None:
        self.page, self.console = page, console
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    async def goto(self, path: str) -> None:
        await self.page.goto(f"{self.console.door.address}{path}")

    async def findings(self) -> list[Any]:
        """Return what axe finds."""
        answer = (await Axe().run(self.page)).response
        return [(finding["id"], [node["html"] for node in finding["nodes"]]) for finding in answer["violations"]]


@asynccontextmanager
async def drawn(session: Session, *, reads: bool = True) -> AsyncIterator[Drawn]:
    """Open a console in Chromium, by the address that lets it in; nothing of a page is refused or fails."""
    async with OpenConsole.over(LocalRoute(session)) as console, chromium() as browser:
        if reads:
            await console.read()
        page = await browser.new_page(viewport=WIDE)
        await page.goto(console.door.entrance)
        shown = Drawn(page, console)
        yield shown
        assert shown.complaints == []


async def test_all_can_use_the_pages_in_both_themes_and_at_320_pixels(fleet: CollectorProcess) -> None:
    async with drawn(session_of(fleet)) as shown:
        for name, path in PAGES.items():
            for theme in THEMES:
                await shown.page.emulate_media(color_scheme=theme)
                await shown.goto(path)
                assert await shown.findings() == [], (path, theme)
                if PICTURES:
                    await shown.page.screenshot(path=Path(PICTURES) / f"console-{name}-{theme}.png", full_page=True)
            await shown.page.set_viewport_size(NARROW)
            assert await shown.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"], path
            if PICTURES:
                await shown.page.screenshot(path=Path(PICTURES) / f"console-{name}-narrow.png", full_page=True)
            await shown.page.set_viewport_size(WIDE)


async def test_all_can_use_pages_of_a_collector_that_is_away() -> None:
    async with drawn(AWAY) as shown:
        for theme in THEMES:
            await shown.page.emulate_media(color_scheme=theme)
            await shown.goto("/")
            assert await shown.findings() == []


async def test_a_person_filters_switches_colours_goes_back_and_sees_what_is_new(fleet: CollectorProcess) -> None:
    async with drawn(session_of(fleet)) as shown:
        page = shown.page
        await page.clock.install()
        await shown.goto("/")
        await page.get_by_label("Owner").fill("orders")
        await page.get_by_role("button", name="Filter").click()
        await page.get_by_role("link", name="Client ids").click()
        assert page.url.endswith("/?order=-clients&owner=orders")
        await page.get_by_role("button", name="dark").click()
        assert page.url.endswith("/?order=-clients&owner=orders")
        assert await page.locator("html").get_attribute("data-theme") == "dark"

        await page.get_by_role("link", name="User:checkout").click()
        await page.get_by_role("link", name="checkout-canary").click()
        await page.go_back()
        assert "by=client" in page.url
        await page.get_by_text("The same elsewhere").click()
        shown.console.console.sources["traffic"].problem = "the way to it is closed"
        await page.clock.fast_forward(15_000)
        await page.get_by_text("Traffic cannot be read.").wait_for()

        assert await page.get_by_text("kwitness connections --by client_id").is_visible()
