"""A console in this process, with a browser: requests with the cookie that the code gave."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from os import getpid
from pathlib import Path
from typing import Any

import aiohttp

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.collector_access import CollectorRoute
from kwitness.console.backends import Backends
from kwitness.console.door import Door
from kwitness.console.process import Console
from kwitness.sandbox.session import Session

from tests.collector.collector_process import READER, CollectorProcess

_LINK = re.compile(r'(?:href|action)="([^"]*)"')
_LINE = re.compile(r"<pre[^>]*><code>(.*?)</code></pre>", re.DOTALL)
_AGE = re.compile(r"\b(?:now|[0-9][0-9a-z ]* ago)\b|<svg class=\"trend\".*?</svg>")
_HIDDEN = re.compile(r' <span id="hidden">[0-9]+ more [a-z]+ that you may not see\.</span>')


def session_of(collector: CollectorProcess) -> Session:
    """Return the session by which commands and consoles find a collector on this machine."""
    return Session(
        pid=getpid(),
        bootstrap="127.0.0.1:1",
        collector_address=f"127.0.0.1:{collector.port}",
        metrics_url="",
        reader_token=READER,
    )


class OpenConsole:
    """A console and its browser."""

    def __init__(self, console: Console, door: Door, browser: aiohttp.ClientSession) -> None:
        self.console, self.door, self.browser = console, door, browser

    @classmethod
    @asynccontextmanager
    async def over(
        cls,
        route: CollectorRoute,
        cluster: ClusterAccess | None = None,
        *,
        tables: Path | None = None,
        prometheus: str | None = None,
    ) -> AsyncIterator[OpenConsole]:
        console = Console(Backends(route, cluster, None if tables is None else str(tables), prometheus))
        jar = aiohttp.CookieJar(unsafe=True)  # 127.0.0.1 has cookies too
        async with console.served() as door, aiohttp.ClientSession(cookie_jar=jar) as browser:
            yield cls(console, door, browser)

    async def enter(self) -> None:
        async with self.browser.get(self.door.entrance) as answer:
            assert answer.status == 200, await answer.text()

    async def read(self, *names: str) -> None:
        """Have sources read once, all unless some are named, and pages made of that."""
        sources = self.console.sources
        for name in names or sources:
            await sources[name].read_once()
        await self.console.assembly.make_once()

    async def get(self, path: str, **more: Any) -> str:
        """Return a page."""
        async with self.browser.get(f"{self.door.address}{path}", **more) as answer:
            text = await answer.text()
            assert answer.status == 200, text
            return text


def links(page: str) -> list[str]:
    """Return addresses of links and forms of a page, each once."""
    return list(dict.fromkeys(html.unescape(address) for address in _LINK.findall(page)))


def lines(page: str) -> list[str]:
    """Return the lines of the drawer."""
    return [html.unescape(text) for text in _LINE.findall(page)]


def figure(page: str, name: str) -> str:
    """Return a number of the head of a page by its id."""
    found = re.search(rf'id="{name}">(.*?)</dd>', page, re.DOTALL)
    assert found is not None, name
    return re.sub(r"<[^>]*>", "", found[1]).strip()


def lasting(page: str) -> str:
    """Return a page without what is another on each: ages, trends, and the number of what is hidden."""
    return _HIDDEN.sub("", _AGE.sub("", page))


def cells(page: str) -> list[list[str]]:
    """Return the texts of all rows of a page's first table, but the heading."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = []
    for row in body.split("</tr>")[:-1]:
        texts = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        rows.append([" ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split()) for text in texts])
    return rows


async def in_thread(function: Any, *arguments: Any) -> Any:
    """Run a command beside the console."""
    return await asyncio.to_thread(function, *arguments)
