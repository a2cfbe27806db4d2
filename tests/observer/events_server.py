"""A server in the place of the collector: takes everything, and keeps the rows."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer, EventsHead


class EventsServer:
    """Answers `POST /v1/events` on a free port of loopback; use as a context manager.

    Parameters
    ----------
    certificate
        Files of the server's certificate and its key; without them it speaks plaintext.
    """

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        self.heads: list[EventsHead] = []
        self.rows: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self.wants_connections = False
        self._scheme = "http" if certificate is None else "https"
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                first, _, rest = body.partition(b"\n")
                status, answer = server.answer(EventsHead.model_validate_json(first), rest)
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

    def answer(self, head: EventsHead, rest: bytes) -> tuple[int, bytes]:
        """The status and body for a request: it is taken."""
        return 200, self.take(head, rest)

    def take(self, head: EventsHead, rest: bytes) -> bytes:
        """Keep what came and accept it."""
        for row in head.rows:
            line, rest = rest[: row.bytes], rest[row.bytes + 1 :]
            self.rows.append(json.loads(line))
        self.heads.append(head)
        seqs = [row.seq for row in head.rows] + [part.seq for part in head.totals]
        taken = ",".join(map(str, seqs))
        answer = EventsAnswer(
            collector="kafka/main", replica=0, accepted=taken, wants_connections=self.wants_connections
        )
        return answer.model_dump_json().encode()

    def records(self, api: str, topic: str) -> int:
        """Records of the partition rows of one API and topic."""
        rows = [row for row in list(self.rows) if row.get("kind") == "partition" and row["api"] == api]
        return sum(int(row["records"]) for row in rows if row.get("topic") == topic)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
