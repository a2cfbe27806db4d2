"""A server in the place of the collector: holds every head and row against its contract, and keeps them."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from pydantic import TypeAdapter
from typing_extensions import override

from kwitness.contracts.envelopes import EventsAnswer
from kwitness.contracts.envelopes.events import Directives
from kwitness.contracts.envelopes.interceptor_events import InterceptorsHead
from kwitness.contracts.records.interceptions import ClientInterceptions, TopicInterceptions
from kwitness.contracts.records.seals import WindowSeal

_ROW: TypeAdapter[Any] = TypeAdapter(TopicInterceptions | ClientInterceptions | WindowSeal)

Answering = Callable[[InterceptorsHead], tuple[int, EventsAnswer]]


class InterceptorEventsServer:
    """Answers `POST /v1/events` on a free port of loopback; use as a context manager.

    `answering` may be set: it returns status and answer for a head instead of taking everything.
    """

    def __init__(self) -> None:
        self.heads: list[InterceptorsHead] = []
        self.rows: list[Any] = []
        self.tokens: set[str] = set()
        self.directives = Directives()
        self.answering: Answering = self.take
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                server.tokens.add(self.headers["Authorization"])
                first, _, rest = body.partition(b"\n")
                head = InterceptorsHead.model_validate_json(first)
                status, answer = server.answering(head)
                if status == 200:
                    server.keep(head, rest, answer)
                text = answer.model_dump_json().encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            @override
            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """For the settings."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, head: InterceptorsHead) -> tuple[int, EventsAnswer]:
        """Accept everything."""
        numbers = [row.seq for row in head.rows] + [one.seq for one in head.totals]
        return 200, EventsAnswer(
            collector="kafka/main", replica=0, accepted=",".join(map(str, numbers)), directives=self.directives
        )

    def keep(self, head: InterceptorsHead, rest: bytes, answer: EventsAnswer) -> None:
        rejected = {one.seq for one in answer.rejected}
        for row in head.rows:
            line, rest = rest[: row.bytes], rest[row.bytes + 1 :]
            if row.seq not in rejected:
                self.rows.append(_ROW.validate_json(line))
        assert not rest
        self.heads.append(head)

    def topics(self) -> list[TopicInterceptions]:
        """Rows of topics so far."""
        return [row for row in list(self.rows) if isinstance(row, TopicInterceptions)]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
