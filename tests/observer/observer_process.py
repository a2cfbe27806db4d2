"""The observer as a process on loopback, before brokers of a test."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests

from kwitness.images.image_parts import QUICK, cargo_binary
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import eventually


def built_observer() -> Path:
    """The program as images of the node have it."""
    name = "kwitness-observer"
    return cargo_binary(name, profile=QUICK) / name


class ObserverProcess:
    """The program with settings of its own; use as a context manager.

    Parameters
    ----------
    bootstrap
        Brokers, as a comma list.
    nodes
        Node ids that get a port.
    changes
        Members of the settings that win over what is decided here.
    user
        The user id that it runs with; absent: this process's.
    environment
        Variables that only a sidecar cares for; absent: those of some pod.
    """

    def __init__(
        self,
        program: Path,
        folder: Path,
        *,
        bootstrap: str,
        nodes: tuple[int, ...],
        changes: Mapping[str, Any],
        user: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._program = program
        self._user = user
        self._environment = environment or {"POD_NAME": "edge-0", "POD_NAMESPACE": "shop", "POD_IP": "10.1.2.3"}
        self.file = folder / "observer.json"
        self._log = folder / "observer.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._arguments: tuple[str, ...] = ()
        self.settings: dict[str, Any] = {
            "cluster_id": "4L6g3nShT-eMCtK--X86sw",
            "namespace": "team-a",
            "name": "edge",
            "mode": "gateway",
            "reported_by": "gateway",
            "suspend": False,
            "upstream": {"bootstrap_servers": bootstrap.split(","), "tls": None},
            "listener": {
                "name": "GATEWAY",
                "bind": "127.0.0.1",
                "bootstrap_port": free_port(),
                "advertised_host": "127.0.0.1",
                "brokers": {str(node): free_port() for node in nodes},
            },
            "window_ms": 1000,
            "report": {"connections": True, "traffic": True, "latency": True},
            "identity": {"drop": []},
            "limits": {
                "max_connections": 1000,
                "max_frame_bytes": 104_857_600,
                "max_series": 10_000,
                "queue_bytes": 1_000_000,
                "max_rewrite_bytes": 16_777_216,
            },
            "collector": None,
            "metrics_port": free_port(),
            **changes,
        }
        self.file.write_text(json.dumps(self.settings))

    @property
    def bootstrap(self) -> str:
        """Where clients begin."""
        return f"127.0.0.1:{self.settings['listener']['bootstrap_port']}"

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        """A connection of a client from this address."""
        return socket.create_connection(
            ("127.0.0.1", self.settings["listener"]["bootstrap_port"]), timeout=60, source_address=(address, 0)
        )

    @property
    def pid(self) -> int:
        """Of the process, once it was started."""
        assert self._process is not None
        return self._process.pid

    @property
    def ports(self) -> set[int]:
        """All ports of its listener."""
        listener = self.settings["listener"]
        return {listener["bootstrap_port"], *listener["brokers"].values()}

    def set(self, name: str, value: Any) -> None:
        """Change one member of its settings file."""
        self.settings[name] = value
        self.file.write_text(json.dumps(self.settings))

    def with_arguments(self, *arguments: str) -> Self:
        """Give it more on the command line, before it starts."""
        self._arguments = arguments
        return self

    def start(self) -> Self:
        """Start it and wait until it is ready."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, "run", "--settings", self.file, "--drain-seconds", "5", *self._arguments],
                stdout=log,
                stderr=log,
                env=dict(self._environment),
                user=self._user,
            )
        eventually(self._is_ready, every=0.1)
        return self

    def stop(self) -> None:
        """Ask it to end, and wait."""
        if self._process is not None:
            self._process.terminate()
            assert wait_for_exit(self._process) == 0, self.log()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        """Everything it has written."""
        return self._log.read_text()

    def metrics_page(self) -> str:
        """The text of a scrape."""
        return requests.get(f"http://127.0.0.1:{self.settings['metrics_port']}/metrics", timeout=10).text

    def metrics(self) -> dict[str, float]:
        """Its samples, by name and labels as they are written."""
        samples = re.findall(r"^([^#\s].*) (\S+)$", self.metrics_page(), re.MULTILINE)
        return {name: float(value) for name, value in samples}

    def trouble(self) -> str | None:
        """Why it says that it is not ready; None while it is."""
        answer = requests.get(f"http://127.0.0.1:{self.settings['metrics_port']}/readyz", timeout=10)
        return None if answer.ok else answer.text

    def _is_ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log()
        try:
            return requests.get(f"http://127.0.0.1:{self.settings['metrics_port']}/readyz", timeout=10).ok
        except requests.ConnectionError:
            time.sleep(0.05)
            return False

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.stop()
        else:
            self.kill()
