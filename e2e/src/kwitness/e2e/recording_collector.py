"""A stand-in for the collector that keeps what it receives and misbehaves on demand."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from typing_extensions import override

from kwitness.sandbox.waiting import Patience, WaitFailedError

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    #: Bytes of the body as it came, compressed.
    size: int
    #: What was answered; 0 when nothing was.
    status: int
    #: When it was there and not yet answered, by the monotonic clock in seconds.
    at: float


@dataclass
class Behaviour:
    """What the stand-in does with a request; replace attributes while it runs."""

    status: int = HTTPStatus.OK
    headers: dict[str, str] = field(default_factory=dict)
    #: Sent instead of the usual body.
    body: dict[str, Any] | None = None
    #: Reject each push with this message.
    reject: str | None = None
    #: Seconds before the answer.
    delay: float = 0.0
    #: Read the request and never answer.
    black_hole: bool = False
    #: A token that requests must carry, else 401.
    token: str | None = None
    #: Bodies above this many compressed bytes are answered 413.
    max_bytes: int | None = None


class RecordingCollector:
    """An HTTP server that speaks the collector's ingest paths.

    Parameters
    ----------
    certificate, key
        PEM files; with them it speaks TLS.
    host, port
        Where to listen; port 0 is a free one.
    """

    def __init__(
        self, *, certificate: Path | None = None, key: Path | None = None, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.behaviour = Behaviour()
        self._requests: list[Request] = []
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._server = _Server((host, port), _handler(self))
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
            self._scheme = "https"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The address for `kwitness.collector.url`."""
        return f"{self._scheme}://{self._server.server_address[0]!s}:{self.port}"

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    def requests(self, path: str | None = None) -> list[Request]:
        """What came so far, in order, optionally of one path."""
        with self._changed:
            return [request for request in self._requests if path in {None, request.path}]

    def pushes(self, *, answered: int | None = HTTPStatus.OK) -> list[dict[str, Any]]:
        """Pushes in the order of arrival, optionally only those whose batch got this answer."""
        batches = [r for r in self.requests("/v1/pushes") if answered in {None, r.status}]
        return [push for batch in batches for push in batch.body["pushes"]]

    def heartbeats(self) -> list[dict[str, Any]]:
        """Gauge snapshots in the order of arrival."""
        return [request.body for request in self.requests("/v1/gauges")]

    def clear(self) -> None:
        """Forget what came so far."""
        with self._changed:
            self._requests.clear()

    def wait_for(self, find: Callable[[], _Found | None], *, what: str) -> _Found:
        """The first result of `find` that is not false; asked again after each request.

        Raises
        ------
        WaitFailedError
            Nothing was found, and nothing moved any more; with the last requests.
        """
        with Patience(what) as patience:
            while not (found := find()):
                try:
                    patience.note(found)
                except WaitFailedError as error:
                    last = json.dumps([request.body for request in self.requests()[-2:]], indent=1)[-3000:]
                    raise WaitFailedError(f"{error}; the last requests were {last}") from error
                with self._changed:
                    self._changed.wait(0.5)
            return found

    def stop(self) -> None:
        """Close the port and break off what hangs."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[int, dict[str, str], bytes]:
        """Record one request and decide its answer; status 0 means none."""
        wanted = self.behaviour
        body = json.loads(gzip.decompress(raw) if headers.get("content-encoding") == "gzip" else raw)
        status, answer_headers = wanted.status, dict(wanted.headers)
        answer: dict[str, Any] = {}
        if wanted.token is not None and headers.get("authorization") != f"Bearer {wanted.token}":
            status, answer_headers = 401, {"WWW-Authenticate": "Bearer"}
        elif wanted.max_bytes is not None and len(raw) > wanted.max_bytes:
            status = 413
        if path == "/v1/pushes" and status == HTTPStatus.OK:
            answer = {"accepted": len(body["pushes"]), "duplicates": 0, "rejected": []}
            if wanted.reject is not None:
                rejected = [{"seq": one["seq"], "reason": "Test", "message": wanted.reject} for one in body["pushes"]]
                answer = {"accepted": 0, "duplicates": 0, "rejected": rejected}
        if wanted.black_hole:
            status = 0
        if wanted.delay:
            self._closing.wait(wanted.delay)
        with self._changed:
            self._requests.append(Request(path, headers, body, len(raw), status, time.monotonic()))
            self._changed.notify_all()
        if wanted.black_hole:
            self._closing.wait()
        content = wanted.body if wanted.body is not None and path == "/v1/pushes" else answer
        return status, answer_headers, json.dumps(content).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A sender that goes away in the middle is part of the tests."""


def _handler(collector: RecordingCollector) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {key.lower(): value for key, value in self.headers.items()}
            status, answer_headers, body = collector.answer(self.path, headers, raw)
            if status == 0:
                self.close_connection = True
                return
            self.send_response(status)
            for key, value in _with_length(answer_headers, body):
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """What matters is recorded."""

    return Handler


def _with_length(headers: dict[str, str], body: bytes) -> Iterator[tuple[str, str]]:
    yield from headers.items()
    yield "Content-Type", "application/json"
    yield "Content-Length", str(len(body))
