"""A server in the place of the collector: takes everything that interceptors send, and keeps it."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from pydantic import BaseModel
from typing_extensions import override

from kwitness.contracts.envelopes import Directives, EventsAnswer, InterceptorsHead
from kwitness.contracts.records import ClientInterceptions, KeyInterceptions, TopicInterceptions, WindowSeal

_MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "topic": TopicInterceptions,
    "keys": KeyInterceptions,
    "client": ClientInterceptions,
}


class InterceptorsServer:
    """Answers `POST /v1/events` on a free port of loopback; use as a context manager.

    Each head and each row is read by its contract: one that breaks it is a request that fails, and an entry of
    `broken`.
    """

    def __init__(self) -> None:
        self.heads: list[InterceptorsHead] = []
        self.rows: list[dict[str, Any]] = []
        self.broken: list[str] = []
        self.directives = Directives()
        self.is_down = False
        self.status_when_down = 503
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = server.answer(body)
                self.send_response(status)
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

    def answer(self, body: bytes) -> tuple[int, bytes]:
        """The status and body for a request."""
        if self.is_down:
            return self.status_when_down, b""
        first, _, rest = body.partition(b"\n")
        try:
            head = InterceptorsHead.model_validate_json(first)
            rows = list(_rows(head, rest))
        except ValueError as error:
            self.broken.append(str(error))
            return 400, b""
        self.heads.append(head)
        self.rows += rows
        taken = [row.seq for row in head.rows] + [part.seq for part in head.totals]
        answer = EventsAnswer(
            collector="kafka/main", replica=0, accepted=",".join(map(str, taken)), directives=self.directives
        )
        return 200, answer.model_dump_json().encode()

    def of_kind(self, kind: str, **members: object) -> list[dict[str, Any]]:
        """Rows of a kind whose members have these values."""
        wanted = {"kind": kind, **members}.items()
        return [
            row for row in list(self.rows) if wanted <= {name: row.get(name) for name in (*members, "kind")}.items()
        ]

    def total(self, count: str, **members: object) -> int:
        """The sum of a count over topic rows."""
        return sum(int(row.get(count, 0)) for row in self.of_kind("topic", **members))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _rows(head: InterceptorsHead, rest: bytes) -> Iterable[dict[str, Any]]:
    for row in head.rows:
        line, rest = rest[: row.bytes], rest[row.bytes + 1 :]
        content = json.loads(line)
        model = WindowSeal if row.topic == "seals" else _MODELS[content["kind"]]
        model.model_validate_json(line)
        assert content["event_seq"] == row.seq
        yield content
