"""A page of the console in Chromium, and what it complains about."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Page

from tests.console.chromium import THEMES, WIDE, new_profile, open_page
from tests.console.open_console import OpenConsole

__all__ = ["NARROW", "WIDE", "ZOOMED", "Drawn", "drawn", "findings_of"]

ZOOMED: Final = {"width": 640, "height": 400}
"""The same at 200 %."""
NARROW: Final = {"width": 320, "height": 640}
_OF_COLOURS: Final = ["color-contrast", "link-in-text-block"]
"""Those of axe's rules for WCAG's levels A and AA whose result depends on colours."""


class Drawn:
    """A page of a browser that was let in."""

    def __init__(self, page: Page, console: OpenConsole) -> None:
        self.page, self.console = page, console
        self.complaints: list[str] = []
        self._listeners = {
            "console": lambda message: self._complain(message.text),
            "pageerror": lambda error: self._complain(str(error)),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def _complain(self, text: str) -> None:
        # The page that was open before this one may still refresh its rows.
        if self.page.url.startswith(self.console.door.address):
            self.complaints.append(text)

    def leave(self) -> None:
        """Listen no more."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    async def goto(self, path: str) -> None:
        await self.page.goto(f"{self.console.door.address}{path}")

    def at(self, path: str) -> re.Pattern[str]:
        """Return what the address of the browser is on a page."""
        return re.compile(re.escape(f"{self.console.door.address}{path}") + "$")

    async def findings(self) -> list[Any]:
        """Return what axe finds."""
        return await findings_of(self.page)

    async def findings_in_themes(self) -> list[Any]:
        """Return what axe finds in each theme; after the first one by its rules of colours, as the page is the same."""
        found: list[Any] = []
        for theme in THEMES:
            await self.page.emulate_media(color_scheme=theme)
            found += [(theme, *finding) for finding in await findings_of(self.page, colours_alone=theme != THEMES[0])]
        return found

    async def width(self) -> int:
        """Return the width that the page needs."""
        width: int = await self.page.evaluate("document.documentElement.scrollWidth")
        return width


async def findings_of(page: Page, *, colours_alone: bool = False) -> list[Any]:
    """Return what axe finds on a page."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    rules = {"runOnly": _OF_COLOURS} if colours_alone else {}
    answer = await page.evaluate("options => axe.run(options)", {"resultTypes": ["violations"], **rules})
    return [(finding["id"], [node["html"] for node in finding["nodes"]]) for finding in answer["violations"]]


@asynccontextmanager
async def drawn(
    browser: Browser, console: OpenConsole, *, is_new: bool = False, **options: Any
) -> AsyncIterator[Drawn]:
    """Have a page with the cookie of a console; nothing of its pages is refused or fails.

    Parameters
    ----------
    is_new
        The page is one of its own: it changes what stays, such as its clock.
    options
        Options of its profile, which is new.
    """
    page = await (await new_profile(browser, **options)).new_page() if is_new or options else await open_page(browser)
    address = console.door.address
    await page.context.add_cookies(
        [{"name": c.key, "value": c.value, "url": address} for c in console.browser.cookie_jar]
    )
    shown = Drawn(page, console)
    try:
        yield shown
    finally:
        shown.leave()
        if is_new or options:
            await page.context.close()
    assert shown.complaints == []
