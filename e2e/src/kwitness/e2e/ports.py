"""Ports of loopback for servers that a test or a benchmark starts."""

from __future__ import annotations

import secrets
import socket
from typing import Final

_PORTS: Final = range(20_000, 32_000)
"""Below the ports that outgoing connections get: those could take one while its server is not up, or restarts."""
_given: set[int] = set()


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on, another one at each call.

    Raises
    ------
    RuntimeError
        None was found.
    """
    for _ in range(200):
        port = secrets.choice(_PORTS)
        if port in _given:
            continue
        with socket.socket() as candidate:
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            _given.add(port)
            return port
    raise RuntimeError(f"no free TCP port found on 127.0.0.1 between {_PORTS.start} and {_PORTS.stop}")
