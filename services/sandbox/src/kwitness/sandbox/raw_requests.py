"""Writes single requests of Kafka's protocol that no library for Python sends."""

from __future__ import annotations

import socket
import struct
from typing import Final

__all__ = ["GET_TELEMETRY_SUBSCRIPTIONS", "connect", "exchange", "exchange_once", "header"]

GET_TELEMETRY_SUBSCRIPTIONS: Final = 71
_TIMEOUT_S: Final = 20


def header(api_key: int, version: int, client_id: str = "kwitness-sandbox") -> bytes:
    """A request's header, version 1; one of version 2 goes on with a zero byte, for no tags."""
    name = client_id.encode()
    return struct.pack(">hhih", api_key, version, 1, len(name)) + name


def exchange(connection: socket.socket, request: bytes) -> bytes:
    """Send a request and return its answer, from the correlation id on."""
    connection.sendall(struct.pack(">i", len(request)) + request)
    with connection.makefile("rb") as stream:
        (size,) = struct.unpack(">i", stream.read(4))
        return stream.read(size)


def connect(bootstrap: str) -> socket.socket:
    """Open a connection to the broker at `host:port`.

    Raises
    ------
    OSError
        The broker cannot be reached.
    """
    host, _, port = bootstrap.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=_TIMEOUT_S)


def exchange_once(bootstrap: str, request: bytes) -> bytes:
    """As `exchange`, on a connection of its own to the broker at `host:port`.

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """
    with connect(bootstrap) as connection:
        return exchange(connection, request)
