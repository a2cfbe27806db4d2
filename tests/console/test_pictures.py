"""Makes the pictures of pages in docs/pictures, where `make pictures` asks for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Browser

from kwitness.console.pages.all_pages import PAGES
from kwitness.images.container_engine import install

from tests.console.drawn import drawn
from tests.console.open_console import OpenConsole
from tests.console.picture_fleet import APPLICATION, TOPIC, invent_company
from tests.console.test_browser import EXAMPLES

FOLDER = os.environ.get("KWITNESS_PICTURES")
NAMES = {**EXAMPLES, "/clients": APPLICATION, "/topics": TOPIC}
SIZE = {"width": 1280, "height": 860}
COLOURS = 96
MOST_BYTES = 120_000
_SMALLER = "pngquant"

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.skipif(FOLDER is None, reason="run by make pictures")
async def test_pictures_of_all_pages_are_small(browser: Browser, drawn_console: OpenConsole) -> None:
    invent_company(drawn_console.console._database)
    drawn_console.console.assembly.request()
    await drawn_console.console.assembly.make_once()
    async with drawn(browser, drawn_console, color_scheme="light") as shown:
        await shown.page.set_viewport_size(SIZE)
        for page in PAGES:
            await shown.goto(f"{page.path}/{NAMES[page.path]}" if page.is_named else page.path)
            picture = smaller(await shown.page.screenshot())
            assert len(picture) < MOST_BYTES, page.path
            (Path(FOLDER or "") / f"console-{page.template.removesuffix('.html')}.png").write_bytes(picture)


def smaller(picture: bytes) -> bytes:
    """Return a picture with few colours."""
    if shutil.which(_SMALLER) is None:
        install(_SMALLER, f"there is no {_SMALLER}", print)
    return subprocess.run(
        [_SMALLER, "--strip", str(COLOURS), "-"], input=picture, stdout=subprocess.PIPE, check=True
    ).stdout
