"""The ports that this process's clients dial, whatever they were told."""

from __future__ import annotations

import contextlib
from pathlib import Path

TIME_WAIT = "06"
"""A connection's state for a minute after it was closed in order; it belongs to no process any more."""


def ports_of_peers() -> set[int]:
    """Ports of the other side of this process's TCP connections that it opened or was opened by."""
    own = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            own.add(str(descriptor.readlink()))
    return {_port(row[2]) for row in _connections() if f"socket:[{row[9]}]" in own}


def ports_closed_lately() -> set[int]:
    """Ports of both sides of the TCP connections that any process closed within the last minute.

    They show connections that were too short to be seen while they were open.
    """
    return {_port(side) for row in _connections() if row[3] == TIME_WAIT for side in row[1:3]}


def _connections() -> list[list[str]]:
    """Of IPv4, as the kernel lists them: number, own address, the other's, state, ..."""
    return [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]


def _port(address: str) -> int:
    """Of an address as the kernel writes it, in hexadecimal digits."""
    return int(address.partition(":")[2], 16)


def port_of(address: str) -> int:
    """Of `host:port`."""
    return int(address.rpartition(":")[2])
