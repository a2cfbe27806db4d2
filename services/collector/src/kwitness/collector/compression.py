"""Compression of what goes out, as gzip: by ISA-L, which takes a fifth of zlib's time for the same size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from isal import isal_zlib

_LEVEL: Final = 1
_GZIP_WINDOW: Final = 31


def compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces as one gzip stream."""
    stream = isal_zlib.compressobj(_LEVEL, wbits=_GZIP_WINDOW)
    for piece in pieces:
        out = stream.compress(piece)
        if out:
            yield out
    yield stream.flush()


def compress(content: bytes) -> bytes:
    """Return content as one gzip stream."""
    return b"".join(compressed((content,)))
