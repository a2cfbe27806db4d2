"""Ports of loopback for servers that a test or a benchmark starts."""

from __future__ import annotations

import secrets
import socket
from typing import Final

_PORTS: Final = range(20_000, 32_000)
"""Below the ports that outgoing connections get: those could take one while its server is not up, or restarts."""
_held: list[socket.socket] = []


def free_port() -> int:
    """A TCP port of 127.0.0.1 without a listener, another one at each call and in each process.

    It stays bound for as long as this process lives. A server that sets SO_REUSEADDR, as servers do, can have it all
    the same; who looks for a free port cannot, also while that server is not up yet, or restarts.

    Raises
    ------
    RuntimeError
        None was found.
    """
    for _ in range(200):
        candidate = socket.socket()
        port = secrets.choice(_PORTS)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            candidate.close()
            continue
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _held.append(candidate)
        return port
    raise RuntimeError(f"no free TCP port found on 127.0.0.1 between {_PORTS.start} and {_PORTS.stop}")
