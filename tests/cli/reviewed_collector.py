"""A collector behind a door that reviews tokens at the API server, as the collector itself does in a pod.

In a pod the collector has a token of its own to ask with, which nobody has here. So the door asks, and hands what a
listed reader wants on to a real collector under a token that this one knows from its file.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

import requests
from typing_extensions import override

from kwitness.e2e.api_server import ApiServer

from tests.collector.collector_process import READER, CollectorProcess

READERS = "readers"
"""The service account that may read."""


class ReviewedCollector:
    """Listens on loopback; a context manager.

    Parameters
    ----------
    reader
        The account that may read, NAMESPACE:NAME.
    token
        The token with which it reads.

    Attributes
    ----------
    replaced
        Answers by path, (status, body), that come instead of the collector's: what it cannot be brought to say here.
        A body can be a function of the question's parameters.
    asked
        Paths with their queries, in the order of the questions.
    """

    def __init__(
        self,
        api: ApiServer,
        collector: CollectorProcess,
        namespace: str,
        name: str = "main",
        *,
        reader: str | None = None,
        token: str = READER,
    ) -> None:
        self._api = api
        self._collector = collector
        self._reader = f"system:serviceaccount:{reader or f'{namespace}:{READERS}'}"
        self._token = token
        self._audience = f"kwitness-inventory.{namespace}.{name}"
        self.replaced: dict[str, tuple[int, Any]] = {}
        self.asked: list[str] = []
        door = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                status, body = door.answer(self.path, self.headers)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            @override
            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        """For `--collector-address`."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def answer(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """What becomes of a question."""
        self.asked.append(path)
        user = self._user(headers.get("Authorization", "").removeprefix("Bearer "))
        if user is None:
            return _error(401, "BadToken", f"the token is not valid for audience {self._audience}")
        if user != self._reader:
            return _error(403, "NotAReader", f"{user} is not in spec.ingest.readers of this TelemetryCollector")
        parts = urlsplit(path)
        replaced = self.replaced.get(parts.path)
        if replaced is not None:
            status, body = replaced
            return status, json.dumps(body(dict(parse_qsl(parts.query))) if callable(body) else body).encode()
        url = f"http://127.0.0.1:{self._collector.port}{path}"
        answer = requests.get(url, headers={"Authorization": f"Bearer {self._token}"}, timeout=30)
        return answer.status_code, answer.content

    def _user(self, token: str) -> str | None:
        review = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": token, "audiences": [self._audience]},
        }
        answer = self._api.request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", json=review)
        status = answer.json()["status"]
        return str(status["user"]["username"]) if status.get("authenticated") else None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _error(status: int, reason: str, message: str) -> tuple[int, bytes]:
    return status, json.dumps({"error": {"reason": reason, "message": message}}).encode()
