"""Runs a proxy to the outside as a process of its own: plain HTTP by whole URLs, everything else by CONNECT.

It alone knows names that end with `.test`: they are loopback.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import eventually
from tests.forked import ForkedProgram


class ForwardProxy:
    """The process; `requested` lists methods and targets in the order of their arrival."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "proxy.log"
        self._process = ForkedProgram(__name__, [], log=self._log, environment=dict(os.environ))

    def __enter__(self) -> Self:
        self.port = int(eventually(self._lines, lambda lines: lines != [], needs=[self._process])[0])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.send_signal(signal.SIGTERM)
        wait_for_exit(self._process)

    def environment(self, no_proxy: str = "") -> dict[str, str]:
        """Return the variables that the chart gives to programs."""
        url = f"http://127.0.0.1:{self.port}"
        return {"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": no_proxy}

    @property
    def requested(self) -> list[str]:
        return self._lines()[1:]

    def _lines(self) -> list[str]:
        return self._log.read_text().splitlines()


async def _serve() -> None:
    server = await asyncio.start_server(_pass_on, "127.0.0.1", 0)
    _note(server.sockets[0].getsockname()[1])
    await server.serve_forever()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    method, target, version = head.split(b"\r\n", 1)[0].decode().split()
    _note(method, target)
    address = urlsplit(target if "://" in target else f"//{target}")
    host = address.hostname or ""
    there_reader, there_writer = await asyncio.open_connection(
        "127.0.0.1" if host.endswith(".test") else host, address.port
    )
    if method == "CONNECT":
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    else:
        path = f"{address.path or '/'}{'?' if address.query else ''}{address.query}"
        there_writer.write(f"{method} {path} {version}\r\n".encode() + head.split(b"\r\n", 1)[1])
    await asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer))


def _note(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 - its log


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(65536):
            target.write(piece)
            await target.drain()
    target.close()


if __name__ == "__main__":
    asyncio.run(_serve())
