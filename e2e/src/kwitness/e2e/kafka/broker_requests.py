"""Requests of tests to a broker: which APIs it has, and of which software a connection is."""

from __future__ import annotations

import socket
import struct

from kwitness.sandbox.raw_requests import GET_TELEMETRY_SUBSCRIPTIONS, exchange, header

__all__ = ["GET_TELEMETRY_SUBSCRIPTIONS", "PUSH_TELEMETRY", "api_keys", "say_software"]

PUSH_TELEMETRY = 72
_API_VERSIONS = 18


def api_keys(address: str, *, timeout: float = 10) -> set[int]:
    """The API keys a broker at `host:port` offers to clients (ApiVersions, version 0).

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=timeout) as connection:
        answer = exchange(connection, header(_API_VERSIONS, 0))
    # correlation id, error code, count; then key, lowest and highest version of each
    (count,) = struct.unpack_from(">i", answer, 6)
    return {struct.unpack_from(">hhh", answer, 10 + 6 * index)[0] for index in range(count)}


def say_software(address: tuple[str, int], name: str, version: str) -> socket.socket:
    """Open a connection and say which software one is (ApiVersions, version 3); it counts until it is closed.

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """
    body = b"".join(bytes([len(text) + 1]) + text.encode() for text in (name, version))
    connection = socket.create_connection(address, timeout=10)
    exchange(connection, header(_API_VERSIONS, 3) + b"\0" + body + b"\0")
    return connection
