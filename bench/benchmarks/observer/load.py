"""The sink and the clients of `bench/load`, each a process on the generator's core."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kwitness.images import cache
from kwitness.images.commands import run

ROOT = Path(__file__).parents[3]
BULK, SMALL = 64 << 10, 4 << 10
"""Bytes of a batch."""
WRITING, READING, IN_FLIGHT = 2, 2, 5
"""Connections that produce, that fetch, and the requests of each that wait for answers."""


@functools.cache
def program() -> Path:
    """The program, built for release where builds for images are kept."""
    with cache.rust_target() as target:
        command = ["cargo", "build", "--quiet", "--locked", "--release", "--package", "kwitness-bench-load"]
        run(command, directory=ROOT, environment={"CARGO_TARGET_DIR": str(target)})
        return target / "release/kwitness-bench-load"


class _Running:
    """The program for as long as a block lasts; use as a context manager."""

    def __init__(self, *words: str) -> None:
        command: list[str | Path] = [program(), *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _said(self) -> str:
        """Its next line."""
        if self._process.stdout is None:
            raise RuntimeError("the program has no output")
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()


class Sink(_Running):
    """Answers as a broker does, at `address`."""

    def __init__(self) -> None:
        super().__init__("sink")
        self.address = self._said()


def drive(address: str, *, seconds: float, batch: int, rate: int = 0, **more: int) -> dict[str, Any]:
    """Let clients write and read; `requests`, `bytes` of batches, `seconds`, with a rate `p50_us` and `p99_us`.

    Parameters
    ----------
    rate
        Requests a second of all connections, sent when they are due; 0 is as many as are answered.
    more
        Other than the usual connections, as the program names them.
    """
    options = {"produce": WRITING, "fetch": READING, "in-flight": IN_FLIGHT, "rate": rate, **more}
    options |= {"milliseconds": round(seconds * 1e3), "batch": batch}
    words = [f"to={address}", *(f"{key}={value}" for key, value in options.items())]
    found: dict[str, Any] = json.loads(run([program(), "drive", *words], timeout_seconds=seconds + 60))
    return found


class Idle(_Running):
    """So many connections that have asked what clients ask first, and nothing since."""

    def __init__(self, address: str, connections: int) -> None:
        super().__init__("idle", f"to={address}", f"connections={connections}")

    def __enter__(self) -> Self:
        if self._said() != "ready":
            raise RuntimeError("the connections did not come about; see what the program wrote before")
        return self
