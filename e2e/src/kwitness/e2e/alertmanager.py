"""Alertmanager as a process on loopback, and the webhook that it notifies, for tests without Kubernetes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from typing_extensions import override

from kwitness.e2e.binaries import GoCommand, built
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import WaitFailedError, wait_until

_MODULE = Path(__file__).resolve().parents[3] / "monitoring" / "alertmanager"
ALERTMANAGER = GoCommand("alertmanager", _MODULE, "github.com/prometheus/alertmanager/cmd/alertmanager")
_ADDRESS = "127.0.0.1"


class Webhook:
    """Receives notifications at any path, and keeps them by path. Use it as a context manager."""

    def __init__(self) -> None:
        received: list[tuple[str, dict[str, Any]]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append((self.path, json.loads(body)))
                self.send_response(HTTPStatus.OK)
                self.end_headers()

            @override
            def log_message(self, *_: Any) -> None:
                """Print nothing: notifications are in `received`."""

        #: Path and body of each notification, in order.
        self.received = received
        self._server = ThreadingHTTPServer((_ADDRESS, 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://{_ADDRESS}:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Alertmanager:
    """One Alertmanager with a configuration. Use it as a context manager.

    Parameters
    ----------
    configuration
        Text of its `alertmanager.yml`.
    """

    def __init__(self, configuration: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="kwitness-alertmanager-"))
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        (self._folder / "alertmanager.yml").write_text(configuration, encoding="utf-8")

    def send(self, alerts: Sequence[Mapping[str, str]], annotations: Mapping[str, str]) -> None:
        """Send alerts that fire, each by its labels, all with these annotations.

        Raises
        ------
        RuntimeError
            Alertmanager refused them; its answer is in the message.
        """
        now = datetime.now(UTC).isoformat()
        body = [{"labels": labels, "annotations": annotations, "startsAt": now} for labels in alerts]
        status, answer = self._request("POST", "/api/v2/alerts", body)
        if status != HTTPStatus.OK:
            raise RuntimeError(f"Alertmanager answered {status} to {len(alerts)} alerts: {answer}")

    def _request(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        connection = HTTPConnection(_ADDRESS, self._port, timeout=5)
        try:
            connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def _answers(self) -> bool:
        try:
            return self._request("GET", "/-/ready")[0] == HTTPStatus.OK
        except OSError:
            return False

    def __enter__(self) -> Self:
        options = (
            f"--config.file={self._folder / 'alertmanager.yml'}",
            f"--storage.path={self._folder / 'data'}",
            f"--web.listen-address={_ADDRESS}:{self._port}",
            "--cluster.listen-address=",
        )
        with (self._folder / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                [built(ALERTMANAGER) / "alertmanager", *options],
                env={"PATH": os.environ["PATH"]},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until(self._answers, what="Alertmanager", needs=[self._process], every=0.05)
        except WaitFailedError as error:
            log = (self._folder / "output.log").read_text(encoding="utf-8", errors="replace")
            self._stop()
            raise RuntimeError(f"{error}\n{log}") from error
        return self

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
