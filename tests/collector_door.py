"""A server in the place of a collector's door; what becomes of a request is the test's."""

from __future__ import annotations

import gzip
import ssl
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

from typing_extensions import override

from kwitness.contracts.envelopes import EventsHead, InterceptorsHead


class CollectorDoor(ABC):
    """Answers `POST /v1/events` on a free port of loopback; use as a context manager.

    Parameters
    ----------
    certificate
        Files of the server's certificate and its key; without them it speaks plaintext.
    """

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        self._scheme = "http" if certificate is None else "https"
        door = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = door.answer_to(self.headers["Authorization"], body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            @override
            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*certificate)
            # The handshake is made by the thread of the connection.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """For the settings."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    @abstractmethod
    def answer_to(self, authorization: str, body: bytes) -> tuple[int, bytes]:
        """The status and body for a request, whose own body is the head, a line break, and the rows."""

    def stop(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def lines_of(head: EventsHead | InterceptorsHead, rest: bytes) -> Iterator[bytes]:
    """The rows of a request in the order of its head, where each one's length is."""
    for row in head.rows:
        line, rest = rest[: row.bytes], rest[row.bytes + 1 :]
        yield line


def numbers_of(head: EventsHead | InterceptorsHead) -> str:
    """The numbers of all that a request holds, as an answer says that they are accepted."""
    return ",".join(str(one.seq) for one in (*head.rows, *head.totals))
