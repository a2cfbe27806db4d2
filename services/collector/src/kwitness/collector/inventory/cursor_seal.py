"""Seals the numbers of a cursor: how many changes a replica counts says how much others do."""

from __future__ import annotations

import hmac
import secrets
from struct import Struct
from typing import Final

__all__ = ["CursorSeal"]

_NUMBERS: Final = Struct(">QQ")
_NONCE_BYTES: Final = 8
_TAG_BYTES: Final = 8
_LENGTH: Final = 2 * (_NONCE_BYTES + _NUMBERS.size + _TAG_BYTES)
"""Hex digits of a sealed cursor."""


class CursorSeal:
    """Encrypts and authenticates two numbers by a key of its own, each time to another text."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def close(self, first: int, second: int, audience: bytes = b"") -> str:
        """Return the text of two numbers for an audience."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        hidden = nonce + self._masked(nonce, _NUMBERS.pack(first, second))
        return (hidden + self._tag(hidden, audience)).hex()

    def open(self, text: str, audience: bytes = b"") -> tuple[int, int] | None:
        """Return the numbers of a text; None where another seal made it, or for another audience."""
        if len(text) != _LENGTH:
            return None
        try:
            sealed = bytes.fromhex(text)
        except ValueError:
            return None
        hidden, tag = sealed[:-_TAG_BYTES], sealed[-_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(hidden, audience)):
            return None
        first, second = _NUMBERS.unpack(self._masked(hidden[:_NONCE_BYTES], hidden[_NONCE_BYTES:]))
        return first, second

    def _masked(self, nonce: bytes, numbers: bytes) -> bytes:
        mask = hmac.digest(self._key, b"mask" + nonce, "sha256")
        return bytes(number ^ hiding for number, hiding in zip(numbers, mask, strict=False))

    def _tag(self, hidden: bytes, audience: bytes) -> bytes:
        return hmac.digest(self._key, b"tag" + hidden + audience, "sha256")[:_TAG_BYTES]
