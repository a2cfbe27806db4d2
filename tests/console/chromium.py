"""Debian's Chromium, which is installed where it lacks, as the container engine is; it draws pages for tests."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from playwright.async_api import Browser, async_playwright

from kwitness.images.container_engine import install

__all__ = ["THEMES", "chromium"]

_PROGRAM: Final = "chromium"
THEMES: Final = ("light", "dark")


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Start the browser; as root it has no sandbox of its own."""
    if shutil.which(_PROGRAM) is None:
        install(_PROGRAM, "there is no Chromium", print)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which(_PROGRAM), args=["--no-sandbox"])
        yield browser
        await browser.close()
