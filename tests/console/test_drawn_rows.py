"""Draws in Chromium what other tests see without rows: charts, tables of analyses, and the links to pages."""

from __future__ import annotations

import functools
import time
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from kwitness.console.index.hour_totals import HourTotals
from kwitness.console.sources.found_tables import tables_in_folder
from kwitness.console.sources.tables import TableSources

from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import opened
from tests.console.drawn import NARROW, drawn
from tests.console.open_console import OpenConsole, session_of
from tests.console.table_samples import REQUESTS, read_here, write_table
from tests.console.test_cost import ROWS

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
TABLES = {"UpgradeImpact": REQUESTS, "CostAttribution": ROWS}
CHARTS = {"/": 2, "/upgrades": 0, "/cost": 1}
"""Pages with the number of charts that they have."""


async def test_pages_with_charts_and_tables_of_analyses_have_no_findings_in_both_themes_at_each_width(
    browser: Browser, fleet: CollectorProcess, tmp_path: Path
) -> None:
    async with opened(session_of(fleet)) as console, drawn(browser, console, is_new=True) as shown:
        await console.read()
        await read_tables(console, tmp_path)
        database, hour, now_ms = console.console._database, HourTotals(), int(time.time() * 1000)
        for minute in range(3):
            database.write("UPDATE traffic SET until_ms = until_ms + 1")
            hour.add(database, now_ms + minute * 60_000)
        for path, charts in CHARTS.items():
            await shown.goto(path)
            assert await shown.page.locator("figure svg[role=img]").count() == charts
            assert await shown.page.locator("#live tbody tr").count() > 1
            assert await shown.findings_in_themes() == [], path
            await shown.page.set_viewport_size(NARROW)
            assert await shown.width() == NARROW["width"], path

        await shown.page.clock.install()
        await shown.goto("/")
        await shown.page.get_by_text("Numbers of clients in the last hour").click()
        rows = shown.page.get_by_role("region", name="Table of clients in the last hour").locator("tbody tr")
        hour.add(database, now_ms + 180_000)
        await shown.page.clock.fast_forward(15_000)
        await expect(rows).to_have_count(4)


async def read_tables(console: OpenConsole, folder: Path) -> None:
    """Have the console read tables of the types that are drawn."""
    for job_type, rows in TABLES.items():
        write_table(folder, job_type, rows)
    find = functools.partial(tables_in_folder, str(folder))
    await TableSources([find], console.console._database, lambda: None, read=read_here).source.read_once()


async def test_links_to_pages_are_beside_a_wide_page_and_behind_a_button_on_a_narrow_one_without_scripts(
    browser: Browser, drawn_console: OpenConsole
) -> None:
    async with drawn(browser, drawn_console, java_script_enabled=False) as shown:
        page = shown.page
        await shown.goto("/topics")
        current = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Topics")
        await expect(current).to_have_attribute("aria-current", "page")
        await expect(page.get_by_role("button", name="Pages")).to_be_hidden()

        await page.set_viewport_size(NARROW)
        await expect(current).to_be_hidden()
        for key in ("Tab", "Tab", "Tab", "Enter", "Tab"):
            await page.keyboard.press(key)
        await expect(page.get_by_role("link", name="Fleet")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(current).to_be_hidden()
        await page.get_by_role("button", name="Pages").click()
        await page.get_by_role("link", name="Upgrades").click()
        await expect(page).to_have_url(shown.at("/upgrades"))
