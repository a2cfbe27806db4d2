"""The OpenTelemetry Collector that ours is measured beside, with one processor, built from Go modules (`bench/otelcol`)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from kwitness.images import cache
from kwitness.sandbox.waiting import WaitFailedError, wait_until

SOURCE = Path(__file__).parents[2] / "otelcol"
VERSION = "0.155.0"
_START_S = 30


class OtelCollector:
    """A process with a configuration in YAML, which is there when it listens on ``ready_port``."""

    name = "otelcol"

    def __init__(self, folder: Path, configuration: str, ready_port: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "peer.yaml").write_text(configuration)
        self._log = (folder / "peer.log").open("wb")
        self._process = subprocess.Popen(
            [str(peer_binary()), "--config", f"file:{folder / 'peer.yaml'}"],
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, "GOMAXPROCS": "1"},
        )
        self.pid = self._process.pid
        address = ("127.0.0.1", ready_port)
        try:
            wait_until(lambda: socket.create_connection(address, timeout=1), passing=(OSError,), needs=[self._process])
        except WaitFailedError as error:
            text = (folder / "peer.log").read_text()[-2000:]
            raise RuntimeError(f"the peer did not start: {error}\n{text}") from error

    def stop(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._log.close()


def peer_binary() -> Path:
    """Build the peer, once per content of its sources."""

    def build(folder: Path) -> None:
        go = shutil.which("go")
        if go is None:
            raise RuntimeError("the peer needs Go 1.25 or newer to be built; install it")
        print("building the peer from Go modules (minutes, once)", flush=True)
        subprocess.run([go, "build", "-o", str(folder / "otelcol"), "."], cwd=SOURCE, check=True)

    return cache.cached_folder("otelcol", cache.content_key(SOURCE), build) / "otelcol"
