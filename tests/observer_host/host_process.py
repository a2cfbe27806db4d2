"""The observer host as a process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import requests

from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import ANSWER_S

ROOT = Path(__file__).resolve().parents[2]


class HostProcess:
    """A host that is told what ``told`` says; `stop` it, or use it as a context manager."""

    def __init__(self, folder: Path, **told: Any) -> None:
        self.port = free_port()
        self._folder = folder
        settings = folder / "host.json"
        settings.write_text(json.dumps({"group": "kwitness-host-test", "probe_port": self.port} | told))
        self._log = (folder / "log").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kwitness.observer", str(settings)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=self._log,
            stderr=self._log,
        )

    @property
    def log(self) -> str:
        return (self._folder / "log").read_text()

    def readiness(self) -> str:
        """What /readyz says; empty while nobody listens."""
        try:
            return requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=ANSWER_S).text
        except requests.ConnectionError:
            assert self._process.poll() is None, self.log
            return ""

    def page(self) -> str:
        return requests.get(f"http://127.0.0.1:{self.port}/metrics", timeout=ANSWER_S).text

    def samples(self, name: str) -> dict[str, float]:
        """Samples of one metric by their labels, as text; empty while nobody listens."""
        try:
            text = self.page()
        except requests.ConnectionError:
            return {}
        return {
            labels: float(value) for labels, value in re.findall(rf"^{name}(?:\{{(.*)\}})? (\S+)$", text, re.MULTILINE)
        }

    def stop(self) -> int:
        """Tell it to stop; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return wait_for_exit(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()
