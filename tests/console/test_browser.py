"""Draws all pages in Chromium: in both themes and at each width, without findings of axe, in good and bad states."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from playwright.async_api import Browser

from kwitness.console.pages.all_pages import PAGES
from kwitness.console.pages.page import Page

from tests.collector.collector_process import CollectorProcess
from tests.console.chromium import THEMES
from tests.console.conftest import DRAWN, opened
from tests.console.drawn import NARROW, WIDE, ZOOMED, Drawn, drawn
from tests.console.open_console import OpenConsole, session_of
from tests.console.test_pages import AWAY
from tests.soak import alone

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
EXAMPLES: Final = {"/clients": "checkout-canary", "/topics": "orders", "/subscriptions": f"{DRAWN}/slow-orders"}
"""A name for each page that has one."""
FURTHER: Final = (
    "/?by=client&order=-lag_ms",
    "/?owner=nobody",
    "/clients/nothing",
    "/topics/nothing",
    "/map?topic=postings",
    f"/subscriptions/{DRAWN}/lost",
)
"""Other rows of a page, and states without rows."""
SIZES: Final = (WIDE, ZOOMED, NARROW)


def address_of(page: Page) -> str:
    """Return an address of a page."""
    return f"{page.path}/{EXAMPLES[page.path]}" if page.is_named else page.path


ADDRESSES: Final = tuple(map(address_of, PAGES))


@contextmanager
def state(console: OpenConsole, name: str) -> Iterator[None]:
    """Have all sources of a console fail, or be partial."""
    sources = console.console.sources.values()
    kept = [(source, source.problem, source.lacks) for source in sources]
    for source in sources:
        if name == "failed":
            source.problem = "the way to it is closed: open it"
        else:
            source.lacks = ("replica 1 of it did not answer",)
    try:
        yield
    finally:
        for source, problem, lacks in kept:
            source.problem, source.lacks = problem, lacks


async def check(shown: Drawn) -> None:
    """Have axe check a page in both themes, and see that it is as wide as each screen."""
    assert await shown.findings_in_themes() == []
    for size in SIZES:
        await shown.page.set_viewport_size(size)
        assert await shown.width() == size["width"]


@pytest.mark.parametrize("path", ADDRESSES)
async def test_all_can_use_a_page_in_both_themes_at_each_width_and_while_sources_fail(
    browser: Browser, drawn_console: OpenConsole, path: str
) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto(path)
        await check(shown)
        with state(drawn_console, "failed"):
            await shown.goto(path)
        if await shown.page.locator(".sources li").count():
            await shown.page.get_by_text("cannot be read.").first.wait_for()
        assert await shown.findings() == []


@pytest.mark.parametrize("path", FURTHER)
async def test_all_can_use_other_rows_of_a_page_and_states_without_rows(
    browser: Browser, drawn_console: OpenConsole, path: str
) -> None:
    async with drawn(browser, drawn_console) as shown:
        await shown.goto(path)
        await check(shown)


@pytest.mark.soak
@alone
@pytest.mark.parametrize("path", [*ADDRESSES, *FURTHER])
@pytest.mark.parametrize("name", ["complete", "partial", "failed", "loading", "empty", "away"])
async def test_all_can_use_each_state_of_a_page_in_both_themes_at_each_width(
    browser: Browser, drawn_console: OpenConsole, collector: CollectorProcess, path: str, name: str
) -> None:
    async with (
        opened(AWAY if name == "away" else session_of(collector)) as own,
        drawn(browser, drawn_console if name in {"complete", "partial", "failed"} else own) as shown,
    ):
        if name != "loading":
            await own.read()
        with state(drawn_console, name):
            await shown.goto(path)
        for theme, size in itertools.product(THEMES, SIZES):
            await shown.page.emulate_media(color_scheme=theme)
            await shown.page.set_viewport_size(size)
            assert await shown.findings() == [], (theme, size)
            assert await shown.width() == size["width"], (theme, size)


async def test_a_person_filters_switches_colours_goes_back_and_opens_tabs(
    browser: Browser, drawn_console: OpenConsole
) -> None:
    async with drawn(browser, drawn_console) as shown:
        page = shown.page
        await shown.goto("/")
        await page.get_by_label("Owner").fill("orders")
        await page.get_by_role("button", name="Filter").click()
        await page.get_by_role("link", name="Client ids").click()
        assert page.url.endswith("/?order=-clients&owner=orders")
        await page.get_by_role("button", name="dark").click()
        assert page.url.endswith("/?order=-clients&owner=orders")
        assert await page.locator("html").get_attribute("data-theme") == "dark"

        async with page.context.expect_page() as opening:
            await page.get_by_role("link", name="User:checkout").click(modifiers=["ControlOrMeta"])
        other = await opening.value
        await other.get_by_role("link", name="checkout-canary").click()
        await other.get_by_role("heading", name="checkout-canary").wait_for()
        await other.go_back()
        assert "by=client" in other.url
        assert page.url.endswith("/?order=-clients&owner=orders")


async def test_rows_that_are_read_again_leave_scroll_focus_selection_and_open_parts_as_they_are(
    browser: Browser, drawn_console: OpenConsole
) -> None:
    async with drawn(browser, drawn_console, is_new=True) as shown:
        page = shown.page
        await page.clock.install()
        await page.set_viewport_size(NARROW)
        await shown.goto("/")
        await page.get_by_text("The same elsewhere", exact=True).click()
        table = page.get_by_role("region", name="Table of clients")
        await table.evaluate("table => table.scrollTo(120, 0)")
        await page.get_by_role("link", name="User:ledger").evaluate("link => link.focus({preventScroll: true})")
        with state(drawn_console, "failed"):
            await page.clock.fast_forward(15_000)
            await page.get_by_text("Traffic cannot be read.").first.wait_for()
            await page.wait_for_function("document.activeElement.textContent === 'User:ledger'")
            assert await table.evaluate("table => table.scrollLeft") == 120
            assert "Traffic cannot be read." in await page.get_by_role("status").inner_text()
            assert await page.get_by_text("kwitness connections --by client_id").is_visible()

        await page.evaluate("document.getSelection().selectAllChildren(document.activeElement)")
        await page.clock.fast_forward(15_000)
        assert await page.evaluate("String(document.getSelection())") == "User:ledger"
        await page.evaluate("document.getSelection().removeAllRanges()")
        await page.clock.fast_forward(15_000)
        await page.get_by_text("Traffic cannot be read.").first.wait_for(state="detached")
        assert await page.get_by_role("status").inner_text() == ""


async def test_a_page_without_a_script_has_all_of_it(browser: Browser, drawn_console: OpenConsole) -> None:
    async with drawn(browser, drawn_console, java_script_enabled=False) as shown:
        for path in ADDRESSES:
            await shown.goto(path)
            assert await shown.page.locator("h1").is_visible()
            await shown.page.locator("summary", has_text="The same elsewhere").click()
            assert await shown.page.locator(".elsewhere pre").first.is_visible()
            assert not await shown.page.get_by_role("button", name="List of shortcuts").is_visible()


async def test_loading_pages_show_rows_as_soon_as_they_are_read(browser: Browser, fleet: CollectorProcess) -> None:
    async with opened(session_of(fleet)) as console, drawn(browser, console) as shown:
        await shown.goto("/")
        await shown.page.get_by_text("Reading the collector").wait_for()
        await asyncio.gather(console.read(), shown.page.get_by_role("link", name="User:checkout").wait_for())
        assert await shown.page.locator("#pushing").inner_text() == "4"
