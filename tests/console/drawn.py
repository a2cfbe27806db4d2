"""A page of the console in Chromium, and what it complains about."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from tests.console.open_console import OpenConsole

__all__ = ["NARROW", "WIDE", "ZOOMED", "Drawn", "drawn", "findings_of"]

WIDE: Final = {"width": 1280, "height": 800}
ZOOMED: Final = {"width": 640, "height": 400}
"""The same at 200 %."""
NARROW: Final = {"width": 320, "height": 640}
_AXE: Final = Axe()


class Drawn:
    """A page of a browser that was let in."""

    def __init__(self, page: Page, console: OpenConsole) -> None:
        self.page, self.console = page, console
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    async def goto(self, path: str) -> None:
        await self.page.goto(f"{self.console.door.address}{path}")

    def at(self, path: str) -> re.Pattern[str]:
        """Return what the address of the browser is on a page."""
        return re.compile(re.escape(f"{self.console.door.address}{path}") + "$")

    async def findings(self) -> list[Any]:
        """Return what axe finds."""
        return await findings_of(self.page)

    async def width(self) -> int:
        """Return the width that the page needs."""
        width: int = await self.page.evaluate("document.documentElement.scrollWidth")
        return width


async def findings_of(page: Page) -> list[Any]:
    """Return what axe finds on a page."""
    answer = (await _AXE.run(page)).response
    return [(finding["id"], [node["html"] for node in finding["nodes"]]) for finding in answer["violations"]]


@asynccontextmanager
async def drawn(browser: Browser, console: OpenConsole, **context: Any) -> AsyncIterator[Drawn]:
    """Open a browser with the cookie of a console; nothing of its pages is refused or fails."""
    profile = await browser.new_context(viewport=WIDE, permissions=["clipboard-read", "clipboard-write"], **context)
    address = console.door.address
    await profile.add_cookies([{"name": c.key, "value": c.value, "url": address} for c in console.browser.cookie_jar])
    shown = Drawn(await profile.new_page(), console)
    yield shown
    await profile.close()
    assert shown.complaints == []
