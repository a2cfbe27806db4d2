"""Serves `/status` and `/rows` (with tokens) and `/healthz` (open) of a driver."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from typing_extensions import override

from kwitness.contracts.endpoints import DRIVER_ROWS_PATH, DRIVER_STATUS_PATH, HEALTH_PATH
from kwitness.contracts.envelopes.driver_rows import ROWS_CONTENT_TYPE
from kwitness.jobs.driver.kubernetes_reviews import ReviewUnavailableError
from kwitness.jobs.driver.rows_endpoint import RefusedRowsError, RowsEndpoint
from kwitness.jobs.driver.token_review import TokenReviewer
from kwitness.jobs.frame.status import StatusBoard

_LOG = logging.getLogger(__name__)
_MAX_TOKEN = 16_384


class StatusServer:
    """A small HTTP server on a thread of its own.

    Parameters
    ----------
    port
        0 takes a free one.
    reviewer
        None only outside Kubernetes, where there is nobody to ask: then the server listens on loopback alone.
    problem
        What is wrong with the driver, so that it should be restarted, or None.
    rows
        Answers `/rows`; None only where there is no reviewer.
    """

    def __init__(
        self,
        board: StatusBoard,
        port: int,
        reviewer: TokenReviewer | None,
        problem: Callable[[], str | None] = lambda: None,
        rows: RowsEndpoint | None = None,
    ) -> None:
        members = {"board": board, "reviewer": reviewer, "health": (problem,), "rows": rows}
        handler = type("Handler", (_Handler,), members)
        host = "127.0.0.1" if reviewer is None else ""
        self._server = _Server((host, port), handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="status", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell what went wrong with a request, but not that somebody went away before the answer."""
        error = sys.exception()
        if not isinstance(error, OSError):
            _LOG.error("a request failed", exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    board: ClassVar[StatusBoard]
    reviewer: ClassVar[TokenReviewer | None]
    health: ClassVar[tuple[Callable[[], str | None]]]
    rows: ClassVar[RowsEndpoint | None]
    timeout = 10
    server_version = "kwitness"
    sys_version = ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == HEALTH_PATH:
            # A stream that fails ends the process; one that stands still has to be ended.
            if (problem := self.health[0]()) is not None:
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, _error("NoProgress", problem))
            else:
                self._answer(HTTPStatus.OK, {"alive": True})
        elif path == DRIVER_STATUS_PATH:
            self._status()
        elif path == DRIVER_ROWS_PATH and self.rows is not None:
            self._rows(self.rows)
        else:
            self._answer(HTTPStatus.NOT_FOUND, _error("NotFound", "only /status, /rows and /healthz are here"))

    def _status(self) -> None:
        try:
            allowed = self.reviewer is None or self._allowed(self.reviewer)
        except ReviewUnavailableError as error:
            _LOG.warning("cannot verify who asks for the status: %s", error)
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, _error("ReviewUnavailable", str(error)))
            return
        if not allowed and self.reviewer is not None:
            message = f"send a bearer token with the audience {self.reviewer.audience}"
            self._answer(HTTPStatus.UNAUTHORIZED, _error("Unauthenticated", message))
            return
        self._answer(HTTPStatus.OK, self.board.read().answer().model_dump(exclude_none=True))

    def _allowed(self, reviewer: TokenReviewer) -> bool:
        token = self._token()
        return token is not None and reviewer.user(token) is not None

    def _rows(self, endpoint: RowsEndpoint) -> None:
        try:
            endpoint.authorize(self._token())
            with endpoint.read(self.path.partition("?")[2]) as pieces:
                self.send_response(HTTPStatus.OK)
                self.send_header("Content-Type", ROWS_CONTENT_TYPE)
                # The end of the connection is that of the answer.
                self.send_header("Connection", "close")
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(piece)
        except RefusedRowsError as refused:
            self._answer(refused.status, _error(refused.reason, refused.message))
        except ReviewUnavailableError as error:
            _LOG.warning("cannot verify who asks for rows: %s", error)
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, _error("ReviewUnavailable", str(error)))

    def _token(self) -> str | None:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        token = token.strip()
        return token if scheme.lower() == "bearer" and 0 < len(token) <= _MAX_TOKEN else None

    def _answer(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing for each request."""


def _error(reason: str, message: str) -> dict[str, Any]:
    return {"error": {"reason": reason, "message": message}}
