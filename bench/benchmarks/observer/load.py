"""The sink and the clients of `bench/load`, each a process on the generator's core."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kwitness.e2e.kafka.certificates import KafkaCertificates
from kwitness.images import cache
from kwitness.images.commands import run

ROOT = Path(__file__).parents[3]
BULK, SMALL = 64 << 10, 4 << 10
"""Bytes of a batch."""
WRITING, READING, IN_FLIGHT = 2, 2, 5
"""Connections that produce, that fetch, and the requests of each that wait for answers."""
FLOODING = 100
"""Batches of a flood that wait for answers."""


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

    def _next_line(self) -> str:
        """Its next line."""
        if self._process.stdout is None:
            raise RuntimeError("the program has no output")
        return self._process.stdout.readline().strip()

    def _ready(self) -> None:
        """Wait until its connections have come about."""
        if self._next_line() != "ready":
            raise RuntimeError("the connections did not come about; see what the program wrote before")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()


class Sink(_Running):
    """Answers as a broker does, at `address`; with certificates by TLS."""

    def __init__(self, files: KafkaCertificates | None = None) -> None:
        shown = [f"certificate={files.server_certificate}", f"key={files.server_key}"] if files else []
        super().__init__("sink", *shown)
        self.address = self._next_line()


def drive(
    address: str, *, seconds: float, batch: int, rate: int = 0, authority: Path | None = None, **more: int
) -> dict[str, Any]:
    """Let clients write and read; `requests`, `bytes` of batches, `seconds`, with a rate `p50_us` and `p99_us`.

    Parameters
    ----------
    rate
        Requests a second of all connections, sent when they are due; 0 is as many as are answered.
    authority
        Clients speak TLS and trust the certificates of this file; not with a rate.
    more
        Other than the usual connections, as the program names them.
    """
    words = _words(address, seconds, batch, rate=rate, **more)
    words += [f"ca={authority}"] if authority else []
    found: dict[str, Any] = json.loads(run([program(), "drive", *words], timeout_seconds=seconds + 60))
    return found


def _words(address: str, seconds: float, batch: int, **more: int) -> list[str]:
    options = {"produce": WRITING, "fetch": READING, "in-flight": IN_FLIGHT, **more}
    options |= {"milliseconds": round(seconds * 1e3), "batch": batch}
    return [f"to={address}", *(f"{key}={value}" for key, value in options.items())]


def storm(address: str, connections: int, storms: int, authority: Path | None = None) -> list[float]:
    """Let so many clients reconnect at the same time, again and again; seconds until all had an answer, of each storm."""
    words = [f"to={address}", f"connections={connections}", f"storms={storms}"]
    words += [f"ca={authority}"] if authority else []
    found: dict[str, list[float]] = json.loads(run([program(), "storm", *words], timeout_seconds=300))
    return found["seconds"]


class Flood(_Running):
    """One connection that writes as much as is answered, for so many seconds, always with `FLOODING` batches waiting."""

    def __init__(self, address: str, seconds: float) -> None:
        one = {"produce": 1, "fetch": 0, "in-flight": FLOODING}
        super().__init__("drive", *_words(address, seconds, BULK, **one))

    def requests_per_s(self) -> float:
        """How many were answered, once it has ended."""
        found = json.loads(self._next_line())
        return float(found["requests"] / found["seconds"])


class Busy(_Running):
    """So many connections that each have a request under way at any time, half of which produce."""

    def __init__(self, address: str, connections: int, seconds: float) -> None:
        size = [f"connections={connections}", f"batch={SMALL}", f"milliseconds={round(seconds * 1e3)}"]
        super().__init__("busy", f"to={address}", *size)

    def __enter__(self) -> Self:
        self._ready()
        return self

    def found(self) -> dict[str, float]:
        """`rounds` in which each connection was answered, `requests` and `seconds`, once it has ended."""
        found: dict[str, float] = json.loads(self._next_line())
        return found


class Idle(_Running):
    """So many connections that have asked what clients ask first, and nothing since."""

    def __init__(self, address: str, connections: int) -> None:
        super().__init__("idle", f"to={address}", f"connections={connections}")

    def __enter__(self) -> Self:
        self._ready()
        return self
