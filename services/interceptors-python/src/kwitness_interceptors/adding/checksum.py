"""Checksum: a header at sending over the serialized key and value, compared with those that a consumer got."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Optional

from kwitness_interceptors.interface import ConsumerInterceptor, ProducerInterceptor
from kwitness_interceptors.measures.client_counts import ClientCounts
from kwitness_interceptors.records import AddedHeader, Header

from .left_out import Adding, Counted

__all__ = ["ConsumerChecksum", "ProducerChecksum", "checksum"]

_BYTES = 16
_NULL = b"\xff\xff\xff\xff"


class ProducerChecksum(Adding, ProducerInterceptor):
    """Makes the header of a record whose bytes are known; `header` is its key."""

    def __init__(self, header: str, counts: Optional[ClientCounts], counted: Counted) -> None:
        super().__init__(counts, counted)
        self._header = header

    def kwitness_serialized(self, topic: str, key: Any, value: Any, headers: Sequence[Any]) -> Optional[AddedHeader]:
        """Return the header of a record with these bytes, text or null; None where it is to have none, or has it."""
        if not self._counted(topic) or any(one[0] == self._header for one in headers):
            return None
        if not _is_serialized(key) or not _is_serialized(value):
            self.kwitness_left_out(topic, "checksum_left_out")
            return None
        return AddedHeader(self._header, checksum(key, value))


class ConsumerChecksum(Adding, ConsumerInterceptor):
    """Compares the header of a record that has it."""

    def __init__(self, header: str, counts: Optional[ClientCounts], counted: Counted) -> None:
        super().__init__(counts, counted)
        self._header = header

    def kwitness_received(self, topic: str, key: Any, value: Any, headers: Sequence[Header], *, known: bool) -> None:
        """Compare the bytes that were received; `known` says whether these are they."""
        found = [one[1] for one in headers if one[0] == self._header]
        if not found or not self._counted(topic):
            return
        if not known or not _is_serialized(key) or not _is_serialized(value):
            self.kwitness_left_out(topic, "checksum_not_compared")
        elif found[-1] != checksum(key, value):
            self.kwitness_left_out(topic, "checksum_mismatch")


def checksum(key: Any, value: Any) -> bytes:
    """Return the checksum of a key and a value (contracts/vectors/header_checksums.json)."""
    digest = hashlib.sha256()
    for part in (key, value):
        if part is None:
            digest.update(_NULL)
            continue
        data = part.encode() if isinstance(part, str) else memoryview(part).cast("B")
        digest.update(len(data).to_bytes(4, "big"))
        digest.update(data)
    return digest.digest()[:_BYTES]


def _is_serialized(part: object) -> bool:
    return part is None or isinstance(part, (bytes, str, bytearray, memoryview))
