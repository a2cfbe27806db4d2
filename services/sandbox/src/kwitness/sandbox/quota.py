"""Limits how fast a client may produce, by a request that no library for Python sends."""

from __future__ import annotations

import struct
from typing import Final

from kwitness.sandbox.raw_requests import exchange_once, header

__all__ = ["limit_producer"]

_ALTER_CLIENT_QUOTAS: Final = 49
_VERSION: Final = 1
_NO_TAGS: Final = b"\0"


def limit_producer(bootstrap: str, client_id: str, bytes_per_second: float) -> None:
    """Set the quota of a client id (AlterClientQuotas, version 1); brokers then throttle what goes beyond.

    Raises
    ------
    RuntimeError
        The broker refused.
    OSError
        The broker cannot be reached or hung up.
    """
    entity = _array(_text("client-id") + _text(client_id) + _NO_TAGS)
    operation = _array(_text("producer_byte_rate") + struct.pack(">d?", bytes_per_second, False) + _NO_TAGS)
    validate_only = b"\0"
    request = _array(entity + operation + _NO_TAGS) + validate_only + _NO_TAGS
    answer = exchange_once(bootstrap, header(_ALTER_CLIENT_QUOTAS, _VERSION) + _NO_TAGS + request)
    # Correlation id, tags, throttle time, one more than there are entries.
    (error,) = struct.unpack_from(">h", answer, 10)
    if error:
        raise RuntimeError(f"the broker refused a quota for {client_id} with error code {error}")


def _text(value: str) -> bytes:
    return bytes([len(value) + 1]) + value.encode()


def _array(entry: bytes) -> bytes:
    """An array with this one entry."""
    return b"\2" + entry
