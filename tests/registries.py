"""Container registries that live as long as a test."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator

from kwitness.e2e.binaries import REGISTRY, built


@contextlib.contextmanager
def registry_on(*hosts: str) -> Iterator[str]:
    """A registry; yields its address on loopback, which the engine trusts without TLS."""
    command = [str(built(REGISTRY) / "registry"), "127.0.0.1", *hosts]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield f"127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()
