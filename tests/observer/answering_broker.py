"""A server in the place of a broker, for tests that are about the client's side alone."""

from __future__ import annotations

import socketserver
import struct
import threading
from itertools import count
from types import TracebackType
from typing import Self

from typing_extensions import override

_PRODUCE = b"\0\0"


def list_groups(correlation: int) -> bytes:
    """A ListGroups request of version 0."""
    body = struct.pack(">hhih", 16, 0, correlation, -1)
    return struct.pack(">i", len(body)) + body


class AnsweringBroker:
    """Answers every request but Produce with its correlation id and one byte; use as a context manager."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        answer = self.answer

        class Handler(socketserver.StreamRequestHandler):
            @override
            def handle(self) -> None:
                numbers = count()
                while length := self.rfile.read(4):
                    size = struct.unpack(">i", length)[0]
                    body = self.rfile.read(size)
                    if len(body) < size:
                        return
                    if body[:2] != _PRODUCE:
                        answer(next(numbers), struct.unpack(">h", body[:2])[0])
                        self.wfile.write(struct.pack(">i", 5) + body[4:8] + b"\7")

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self._host = host
        self._server = Server((host, 0), Handler)

    def answer(self, number: int, key: int) -> None:
        """Called before the answer of this number on its connection, from 0 on, to this API, is sent."""

    @property
    def bootstrap(self) -> str:
        """Where it listens."""
        return f"{self._host}:{self.port}"

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
