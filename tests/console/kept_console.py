"""A console on an event loop in a thread of its own, for many tests that leave it as it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager

import aiohttp
from yarl import URL

from tests.console.open_console import OpenConsole

__all__ = ["kept", "with_another_browser"]


@contextmanager
def kept(opening: AbstractAsyncContextManager[OpenConsole]) -> Iterator[OpenConsole]:
    """Keep a console open, once it is: tests have event loops of their own, and its browser is on none of these."""
    opened = Future[tuple[OpenConsole, asyncio.AbstractEventLoop, asyncio.Event]]()

    async def keep() -> None:
        try:
            async with opening as console:
                closing = asyncio.Event()
                opened.set_result((console, asyncio.get_running_loop(), closing))
                await closing.wait()
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    thread = threading.Thread(target=asyncio.run, args=(keep(),), name="console of many tests")
    thread.start()
    try:
        console, loop, closing = opened.result()
        yield console
        loop.call_soon_threadsafe(closing.set)
    finally:
        thread.join()


@asynccontextmanager
async def with_another_browser(console: OpenConsole) -> AsyncIterator[OpenConsole]:
    """Have a console with a browser of this event loop, which was let in and prefers nothing yet; its reader stays."""
    jar = aiohttp.CookieJar(unsafe=True)
    jar.update_cookies({cookie.key: cookie.value for cookie in console.browser.cookie_jar}, URL(console.door.address))
    reader = console.door.reader
    async with aiohttp.ClientSession(cookie_jar=jar) as browser:
        yield OpenConsole(console.console, console.door, browser)
    console.door.reader = reader
