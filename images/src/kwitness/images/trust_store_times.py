"""Gives all certificates of Java's trust store one time: `python3 trust_store_times.py FILE SECONDS`.

Debian makes the store when the package is installed, and each entry has the millisecond of it. It runs in base images
too, so it imports nothing of this package. Does nothing where there is no such file.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["with_time"]

_PASSWORD: Final = "changeit"  # noqa: S105 - Java's default; a trust store holds no secret
_MAGIC: Final = 0xFEEDFEED
_TRUSTED: Final = 2
_HEAD: Final = struct.Struct(">III")
_DIGEST_BYTES: Final = 20


def with_time(store: bytes, seconds: int) -> bytes:
    """Return a store in the format JKS whose entries have one time. Source: `sun.security.provider.JavaKeyStore`.

    Raises
    ------
    ValueError
        It is no store of that format, or holds more than certificates.
    """
    magic, _version, count = _HEAD.unpack_from(store)
    content, at = bytearray(store[:-_DIGEST_BYTES]), _HEAD.size
    if magic != _MAGIC or _digest(content) != store[-_DIGEST_BYTES:]:
        raise ValueError("not a trust store in the format JKS with Java's default password, or a damaged one")
    for _ in range(count):
        (tag,) = struct.unpack_from(">I", content, at)
        if tag != _TRUSTED:
            raise ValueError(f"the trust store has an entry of kind {tag}, which is no certificate")
        at = _after_text(content, at + 4)
        struct.pack_into(">Q", content, at, seconds * 1000)
        at = _after_text(content, at + 8)
        (size,) = struct.unpack_from(">I", content, at)
        at += 4 + size
    return bytes(content + _digest(content))


def _after_text(content: bytearray, at: int) -> int:
    (size,) = struct.unpack_from(">H", content, at)
    return at + 2 + int(size)


def _digest(content: bytearray) -> bytes:
    whole = _PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + content
    return hashlib.sha1(whole, usedforsecurity=False).digest()


def main(arguments: Sequence[str]) -> None:
    """Write the store again."""
    file, seconds = Path(arguments[0]), int(arguments[1])
    if file.is_file():
        file.write_bytes(with_time(file.read_bytes(), seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
