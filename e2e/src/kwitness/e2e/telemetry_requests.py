"""A client that pushes whatever a test wants, as no real one would. Source: Kafka's messages 71 and 72, version 0."""

from __future__ import annotations

import socket
import struct
from types import TracebackType
from typing import Final, Self

GET_SUBSCRIPTIONS: Final = 71
PUSH: Final = 72
NONE, GZIP = 0, 1
"""Compression types, as `CompressionType` numbers them."""
TELEMETRY_TOO_LARGE: Final = 118
UNSUPPORTED_COMPRESSION_TYPE: Final = 76
INVALID_RECORD: Final = 87


class TelemetryClient:
    """One client instance on a connection of its own; subscriptions must exist before it is made.

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """

    def __init__(self, bootstrap: str, client_id: str) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._client_id = client_id.encode()
        self._connection = socket.create_connection((host, int(port)), timeout=20)
        answer = self._exchange(GET_SUBSCRIPTIONS, bytes(16) + b"\0")
        # throttle time, error code, instance id, subscription id
        self.error, self._instance, self._subscription = struct.unpack_from(">4xh16si", answer)

    def push(self, metrics: bytes | None, compression: int = NONE) -> int:
        """Push bytes, declared to be compressed in some way; returns the broker's error code, 0 when it took them."""
        size = b"\0" if metrics is None else _varint(len(metrics) + 1)
        body = self._instance + struct.pack(">i?b", self._subscription, False, compression) + size + (metrics or b"")
        (error,) = struct.unpack_from(">4xh", self._exchange(PUSH, body + b"\0"))
        return int(error)

    def _exchange(self, api_key: int, body: bytes) -> bytes:
        request = struct.pack(">hhih", api_key, 0, 1, len(self._client_id)) + self._client_id + b"\0" + body
        self._connection.sendall(struct.pack(">i", len(request)) + request)
        with self._connection.makefile("rb") as stream:
            (size,) = struct.unpack(">i", stream.read(4))
            return stream.read(size)[5:]  # without correlation id and tags

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:  # noqa: PLR2004 - seven bits a byte
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
