"""Receives OTLP over HTTP as another vendor's endpoint does."""

from __future__ import annotations

import gzip
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)


class Endpoint(ThreadingHTTPServer):
    """Another vendor's OTLP endpoint; answers what ``answers`` says, then 200. It speaks TLS with a ``certificate``.

    A request for which ``finds_bad`` is true is refused with 400. Answers to what is refused repeat its headers.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        if certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.answers: list[int] = []
        self.finds_bad: Callable[[ExportMetricsServiceRequest], bool] = lambda _: False
        self.requests = 0
        self.received: list[tuple[dict[str, str], ExportMetricsServiceRequest]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        request = ExportMetricsServiceRequest.FromString(body)
        self.server.requests += 1
        status = self.server.answers.pop(0) if self.server.answers else 400 if self.server.finds_bad(request) else 200
        answer = ExportMetricsServiceResponse()
        answer.partial_success.rejected_data_points = 1
        content = answer.SerializeToString()
        if status == 200:
            self.server.received.append((dict(self.headers), request))
        else:
            content = f"refused: {dict(self.headers)}".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        return
