"""Draws the pages in front of the console of a cluster in Chromium, in both themes, and signs a person in and out."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from kwitness.runtime.api_access import ApiAccess

from tests.console.chromium import THEMES
from tests.console.cluster_console import Accounts, ClusterConsole, cluster_console
from tests.console.drawn import NARROW, WIDE, findings_of

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
PICTURES = os.environ.get("KWITNESS_PICTURES")
OIDC = {"issuer": "https://login.example.org", "clientId": "kwitness"}


@asynccontextmanager
async def page_of(browser: Browser, console: ClusterConsole) -> AsyncIterator[Page]:
    """Open a browser that is not signed in; nothing of its pages is refused by their policy."""
    profile = await browser.new_context(viewport=WIDE)
    page = await profile.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    yield page
    await profile.close()
    assert [text for text in complaints if "status of 40" not in text] == []


async def check(page: Page, name: str) -> None:
    for theme in THEMES:
        await page.emulate_media(color_scheme=theme)
        assert await findings_of(page) == [], (name, theme)
        for size in (WIDE, NARROW):
            await page.set_viewport_size(size)
            assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"], name
            if PICTURES:
                await page.screenshot(path=Path(PICTURES) / f"{name}-{theme}-{size['width']}.png")


async def test_a_person_signs_in_and_out_on_pages_that_all_can_use(
    browser: Browser, api_access: ApiAccess, accounts: Accounts
) -> None:
    async with (
        cluster_console(
            api_access, address="http://localhost", methods=["token", "oidc", "proxy"], oidc=OIDC
        ) as console,
        page_of(browser, console) as page,
    ):
        await page.goto(f"{console.address}/topics?order=-writers")
        await page.get_by_label("A token for the API server").fill("garbage")
        await page.get_by_role("button", name="Sign in with the token").click()
        await page.get_by_role("alert").wait_for()
        await check(page, "sign-in-refused")
        await page.get_by_label("A token for the API server").fill(accounts.token("red-team"))
        await page.get_by_role("button", name="Sign in with the token").click()
        await page.wait_for_url("**/topics?order=-writers")
        assert '"namespaces": ["red"]' in await page.content()
        [cookie] = await page.context.cookies()
        assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Lax")

        console.namespaces.clear()
        await page.context.clear_cookies()
        await page.goto(console.address)
        await page.get_by_label("A token for the API server").fill(accounts.token("newest"))
        await page.get_by_role("button", name="Sign in with the token").click()
        await page.get_by_role("heading", name="You may see no clients yet").wait_for()
        await check(page, "no-permission")
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_text("You have signed out.").wait_for()
        assert await page.context.cookies() == []
