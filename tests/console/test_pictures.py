"""Makes the pictures of pages in docs/pictures, where `make pictures` asks for them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Browser

from kwitness.console.pages.all_pages import PAGES
from kwitness.console.sources.found_tables import tables_in_folder
from kwitness.console.sources.tables import TableSources
from kwitness.images.container_engine import install

from tests.console.arrival_samples import ARRIVED, MIRRORED, REPORTED
from tests.console.drawn import drawn
from tests.console.open_console import OpenConsole
from tests.console.picture_fleet import APPLICATION, TOPIC, invent_company, invent_hour, leave_out_hostile_names
from tests.console.table_samples import REQUESTS, read_here, write_table
from tests.console.test_browser import EXAMPLES
from tests.console.test_cost import month

FOLDER = os.environ.get("KWITNESS_PICTURES")
SHARES = {"orders": 412, "payments": 268, "growth": 197, "logistics": 151, "search": 88, "data": 73, None: 129}
"""Euros of the first month by owner."""
COSTS = [
    month(f"2026-{number:02}", "open" if number == 11 else "closed", owner, euros * 1_000_000 * (number + 10) // 16)
    for number in range(6, 12)
    for owner, euros in SHARES.items()
]
TABLES = {
    "UpgradeImpact": REQUESTS,
    "Completeness": ARRIVED,
    "MirrorAudit": MIRRORED,
    "LedgerAudit": REPORTED,
    "CostAttribution": COSTS,
}
NAMES = {**EXAMPLES, "/clients": APPLICATION, "/topics": TOPIC}
SIZE = {"width": 1280, "height": 860}
COLOURS = 96
MOST_BYTES = 120_000
_SMALLER = "pngquant"

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.skipif(FOLDER is None, reason="run by make pictures")
async def test_pictures_of_all_pages_are_small(browser: Browser, drawn_console: OpenConsole, tmp_path: Path) -> None:
    invent_company(drawn_console.console._database)
    await read_tables(drawn_console, tmp_path)
    leave_out_hostile_names(drawn_console.console._database)
    drawn_console.console.assembly.request()
    await drawn_console.console.assembly.make_once()
    invent_hour(drawn_console.console._database)
    async with drawn(browser, drawn_console, color_scheme="light") as shown:
        await shown.page.set_viewport_size(SIZE)
        for page in PAGES:
            await shown.goto(f"{page.path}/{NAMES[page.path]}" if page.is_named else page.path)
            picture = smaller(await shown.page.screenshot())
            assert len(picture) < MOST_BYTES, page.path
            (Path(FOLDER or "") / f"console-{page.template.removesuffix('.html')}.png").write_bytes(picture)


async def read_tables(console: OpenConsole, folder: Path) -> None:
    """Have the console read tables of all types that pages show."""
    for job_type, rows in TABLES.items():
        write_table(folder, job_type, rows)
    sources = TableSources(
        [functools.partial(tables_in_folder, str(folder))], console.console._database, lambda: None, read=read_here
    )
    await sources.source.read_once()
    console.console._states.update(sources.states)


def smaller(picture: bytes) -> bytes:
    """Return a picture with few colours."""
    if shutil.which(_SMALLER) is None:
        install(_SMALLER, f"there is no {_SMALLER}", print)
    return subprocess.run(
        [_SMALLER, "--strip", str(COLOURS), "-"], input=picture, stdout=subprocess.PIPE, check=True
    ).stdout
