"""Starts Chromium without windows, with one page that stays open for all tests."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from kwitness.images.container_engine import install

__all__ = ["THEMES", "WIDE", "chromium", "new_profile", "open_page"]

_PROGRAMS: Final = ("chromium-headless-shell", "chromium", "google-chrome")
"""The first that is there; Debian's first draws as the others do, and goes to a page in half the processor time."""
_ARGUMENTS: Final = (
    "--no-sandbox",  # as root it has none of its own
    "--disable-gpu",
    "--in-process-gpu",
    "--js-flags=--no-opt --no-maglev --always-sparkplug",
)
"""Scripts run once on each page: what optimizes them takes longer than it saves, and so does a process that draws."""
THEMES: Final = ("light", "dark")
WIDE: Final = {"width": 1280, "height": 800}


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Start the browser."""
    if (found := _found()) is None:
        install(_PROGRAMS[0], "there is no Chromium", print)
        found = _found()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=_ARGUMENTS)
        await (await new_profile(browser)).new_page()
        yield browser
        await browser.close()


def _found() -> str | None:
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


async def new_profile(browser: Browser, **options: Any) -> BrowserContext:
    """Return a profile without cookies, whose pages may use the clipboard."""
    return await browser.new_context(viewport=WIDE, permissions=["clipboard-read", "clipboard-write"], **options)


async def open_page(browser: Browser) -> Page:
    """Return the page that stays open, as a new one would be: to open one takes a second of a processor."""
    profile = browser.contexts[0]
    page, *others = profile.pages
    for other in others:
        await other.close()
    await profile.clear_cookies()
    await page.emulate_media(color_scheme="light")
    await page.set_viewport_size(WIDE)
    return page
