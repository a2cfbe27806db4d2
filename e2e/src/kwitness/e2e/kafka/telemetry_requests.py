"""A client that pushes whatever a test wants, as no real one would. Source: Kafka's messages 71 and 72, version 0."""

from __future__ import annotations

import base64
import struct
from types import TracebackType
from typing import Final, Self

from kafka.protocol.schemas.fields.codecs.types import UnsignedVarInt32

from kwitness.e2e.kafka.broker_requests import PUSH_TELEMETRY
from kwitness.sandbox.raw_requests import GET_TELEMETRY_SUBSCRIPTIONS, connect, exchange, header

NONE, GZIP = 0, 1
"""Compression types, as `CompressionType` numbers them."""
TELEMETRY_TOO_LARGE: Final = 118
UNSUPPORTED_COMPRESSION_TYPE: Final = 76
INVALID_RECORD: Final = 87
THROTTLING_QUOTA_EXCEEDED: Final = 89
UNKNOWN_SUBSCRIPTION_ID: Final = 117


class TelemetryClient:
    """One client instance on a connection of its own; the subscription it is given is the one of this moment.

    Raises
    ------
    OSError
        The broker cannot be reached or hung up.
    """

    def __init__(self, bootstrap: str, client_id: str) -> None:
        self._client_id = client_id
        self._connection = connect(bootstrap)
        answer = self._exchange(GET_TELEMETRY_SUBSCRIPTIONS, bytes(16) + b"\0")
        # throttle time, error code, instance id, subscription id
        self.error, self._instance, self._subscription = struct.unpack_from(">4xh16si", answer)

    @property
    def instance(self) -> str:
        """The instance id as Kafka writes it."""
        return base64.urlsafe_b64encode(self._instance).decode().rstrip("=")

    def push(self, metrics: bytes | None, compression: int = NONE, *, stale: bool = False) -> int:
        """Push bytes, declared to be compressed in some way; returns the broker's error code, 0 when it took them.

        A ``stale`` push names another subscription than the one that it was given.
        """
        subscription = self._subscription ^ 1 if stale else self._subscription
        size = b"\0" if metrics is None else UnsignedVarInt32.encode(len(metrics) + 1)
        body = self._instance + struct.pack(">i?b", subscription, False, compression) + size + (metrics or b"")
        (error,) = struct.unpack_from(">4xh", self._exchange(PUSH_TELEMETRY, body + b"\0"))
        return int(error)

    def _exchange(self, api_key: int, body: bytes) -> bytes:
        request = header(api_key, 0, self._client_id) + b"\0" + body
        return exchange(self._connection, request)[5:]  # without correlation id and tags

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
