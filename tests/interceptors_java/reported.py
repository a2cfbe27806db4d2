"""A server in the place of the collector: takes what interceptors report and holds it against the contract."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter
from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer, InterceptorsHead
from kwitness.contracts.records import ClientInterceptions, KeyInterceptions, TopicInterceptions, WindowSeal

Row = TopicInterceptions | KeyInterceptions | ClientInterceptions | WindowSeal
_SCHEMAS: dict[str, TypeAdapter[Row]] = {
    "topic": TypeAdapter(TopicInterceptions),
    "keys": TypeAdapter(KeyInterceptions),
    "client": TypeAdapter(ClientInterceptions),
    "seal": TypeAdapter(WindowSeal),
}


class Reported:
    """Answers `POST /v1/events` of interceptors on a free port of loopback; use as a context manager."""

    def __init__(self) -> None:
        self.heads: list[InterceptorsHead] = []
        self.rows: list[Row] = []
        self.refused: list[str] = []
        self.status = 200
        reported = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                answer = reported.take(body)
                self.send_response(reported.status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            @override
            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """For the settings."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, body: bytes) -> bytes:
        """Keep what came and accept it; what is not as the contract says is in `refused`."""
        first, _, rest = body.partition(b"\n")
        head = InterceptorsHead.model_validate_json(first)
        for row in head.rows:
            line, rest = rest[: row.bytes], rest[row.bytes + 1 :]
            kind = json.loads(line).get("kind", "seal")
            try:
                self.rows.append(_SCHEMAS[kind].validate_json(line))
            except ValueError as error:
                self.refused.append(str(error))
        self.heads.append(head)
        if self.status != 200:
            return b""
        taken = ",".join(str(one.seq) for one in (*head.rows, *head.totals))
        return EventsAnswer(collector="kafka/main", replica=0, accepted=taken).model_dump_json().encode()

    def topics(self, side: str) -> list[TopicInterceptions]:
        """Rows of topics of one side."""
        return [row for row in self.rows if isinstance(row, TopicInterceptions) and row.side == side]

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
