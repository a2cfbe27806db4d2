"""Keeps, hashes or drops what is known of a client before it is reported."""

from __future__ import annotations

import hashlib
import hmac
import re
from pathlib import Path
from typing import Optional

from kwitness_interceptors.settings import IdentitySettings

__all__ = ["IdentityPolicy", "identity_hash"]

_PREFIX = "hash-"
_DIGITS = 32
_HASH = re.compile(rf"{_PREFIX}[0-9a-f]{{{_DIGITS}}}")
_MOST_CHARACTERS = 32_767
_LEAST_KEY_BYTES = 16
"""A shorter key could be guessed."""


def identity_hash(key: bytes, field: str, value: str) -> str:
    """Return what stands for a value of an identity key, as contracts/vectors/identity_hashes.json has it."""
    if _HASH.fullmatch(value):
        return value
    text = f"{field}\0{value[:_MOST_CHARACTERS]}".encode("utf-8", "surrogatepass")
    return _PREFIX + hmac.new(key, text, hashlib.sha256).hexdigest()[:_DIGITS]


class IdentityPolicy:
    """Applies settings with the key that their file has now; without a key what is to be hashed is dropped."""

    def __init__(self, settings: Optional[IdentitySettings]) -> None:
        self._settings = settings or IdentitySettings()
        self._key = _read_key(self._settings.key_file)

    @property
    def lacks_key(self) -> bool:
        """Return true if something is dropped that is to be hashed."""
        return self._key is None and bool(self._settings.hash)

    def value(self, field: str, value: Optional[str]) -> Optional[str]:
        """Return what is reported in place of a value; None for nothing."""
        if not value or field in self._settings.drop:
            return None
        if field not in self._settings.hash:
            return value
        return None if self._key is None else identity_hash(self._key, field, value)


def _read_key(file: Optional[str]) -> Optional[bytes]:
    try:
        key = Path(file).read_bytes().rstrip(b"\r\n") if file else b""
    except OSError:
        return None
    return key if len(key) >= _LEAST_KEY_BYTES else None
