"""Decompression of what strangers send: streaming, and never beyond a stated number of bytes.

The libraries are imported when first needed: brokers send gzip, and the others would hold two megabytes for nothing.
Codecs: those of OTLP (gzip, zstd) and the two more that KIP-714 knows (lz4 frames; snappy, raw or in xerial's framing).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import zstandard

_STEP: Final = 64 * 1024
"""Bytes asked of a codec at a time, so that a bomb is noticed after at most this much too many."""
_ZSTD_WINDOW: Final = 8 * 1024 * 1024
"""Largest window accepted: RFC 8878 recommends 8 MiB as what every decoder supports; more is memory for a stranger."""
_ZSTD_SLICE: Final = 256
"""Compressed bytes per step: four bytes can stand for a block of 128 KiB, so one step makes at most 8 MiB."""
_XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
_XERIAL_HEADER: Final = 16
_GZIP_WINDOW: Final = 31
_ZLIB_WINDOW: Final = 15


class UnknownCompressionError(ValueError):
    """The content encoding is none that is understood."""


class CorruptCompressionError(ValueError):
    """The bytes are not what their encoding says."""


class TooLargeError(ValueError):
    """More bytes come out than the limit allows."""


class Decompressor(Protocol):
    """Turns compressed chunks into plain ones, in steps of bounded size."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what ``chunk`` decompresses to; raises `CorruptCompressionError`."""
        ...

    def finish(self) -> Iterator[bytes]:
        """Yield what is left; raises `CorruptCompressionError` if the stream is cut."""
        ...


class _Identity:
    def feed(self, chunk: bytes) -> Iterator[bytes]:
        yield chunk

    def finish(self) -> Iterator[bytes]:
        return iter(())


class _Zlib:
    def __init__(self, window: int) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window)
        self._began = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        pending = chunk
        while pending:
            if self._stream.eof:  # gzip allows several members one after the other
                self._stream = zlib.decompressobj(self._window)
            self._began = True
            try:
                plain = self._stream.decompress(pending, _STEP)
            except zlib.error as error:
                raise CorruptCompressionError(f"not a gzip or zlib stream: {error}") from error
            pending = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            if plain:
                yield plain

    def finish(self) -> Iterator[bytes]:
        while self._began and not self._stream.eof:
            plain = self._stream.decompress(b"", _STEP)
            if not plain:
                raise CorruptCompressionError("the gzip or zlib stream ends too early")
            yield plain


class _Zstd:
    def __init__(self) -> None:
        import zstandard  # noqa: PLC0415 - see the module's docstring

        self._library = zstandard
        self._stream = self._begin()
        self._began = False

    def _begin(self) -> zstandard.ZstdDecompressionObj:
        return self._library.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), _ZSTD_SLICE):
            pending = chunk[start : start + _ZSTD_SLICE]
            while pending:
                if self._stream.eof:
                    self._stream = self._begin()
                self._began = True
                try:
                    plain = self._stream.decompress(pending)
                except self._library.ZstdError as error:
                    raise CorruptCompressionError(f"not zstd, or its window is above 8 MiB: {error}") from error
                pending = self._stream.unused_data if self._stream.eof else b""
                if plain:
                    yield plain

    def finish(self) -> Iterator[bytes]:
        if self._began and not self._stream.eof:
            raise CorruptCompressionError("the zstd stream ends too early")
        return iter(())


class _Lz4:
    def __init__(self) -> None:
        import lz4.frame  # noqa: PLC0415 - see the module's docstring

        self._begin = lz4.frame.LZ4FrameDecompressor
        self._stream = self._begin()
        self._began = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        pending: bytes = chunk
        while pending or not self._stream.needs_input:
            if self._stream.eof:
                if not pending:
                    return
                self._stream = self._begin()
            self._began = True
            try:
                plain = self._stream.decompress(pending, _STEP)
            except (RuntimeError, EOFError) as error:
                raise CorruptCompressionError(f"not an lz4 frame: {error}") from error
            pending = (self._stream.unused_data or b"") if self._stream.eof else b""
            if plain:
                yield plain
            elif not pending:
                return

    def finish(self) -> Iterator[bytes]:
        if self._began and not self._stream.eof:
            raise CorruptCompressionError("the lz4 frame ends too early")
        return iter(())


class _Snappy:
    """Snappy has no streaming form: each block states its length, which is checked before anything is allocated."""

    def __init__(self, limit: int) -> None:
        import cramjam  # noqa: PLC0415 - see the module's docstring

        self._library = cramjam
        self._limit = limit
        self._chunks = bytearray()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        self._chunks += chunk
        return iter(())

    def finish(self) -> Iterator[bytes]:
        data = bytes(self._chunks)
        if not data:
            return
        if not data.startswith(_XERIAL_MAGIC):
            yield self._block(data)
            return
        position = _XERIAL_HEADER
        while position < len(data):
            if position + 4 > len(data):
                raise CorruptCompressionError("the snappy stream ends too early")
            (size,) = struct.unpack_from(">I", data, position)
            position += 4
            if size > len(data) - position:
                raise CorruptCompressionError(f"a snappy block of {size} bytes, but {len(data) - position} are left")
            yield self._block(data[position : position + size])
            position += size

    def _block(self, block: bytes) -> bytes:
        if _snappy_length(block) > self._limit:
            raise TooLargeError(f"a snappy block says it holds more than {self._limit} bytes")
        try:
            return bytes(self._library.snappy.decompress_raw(block))
        except self._library.DecompressionError as error:
            raise CorruptCompressionError(f"not a snappy block: {error}") from error


def _snappy_length(block: bytes) -> int:
    """Read the block's own statement of its plain length: a little-endian base-128 number of at most five bytes."""
    length = 0
    for index, byte in enumerate(block[:5]):
        length |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit of a varint
            return length
    raise CorruptCompressionError("not a snappy block: it has no length")


def decompressor(encoding: str | None, limit: int) -> Decompressor:
    """Make the decompressor for a ``Content-Encoding``; ``limit`` in bytes bounds a single snappy block.

    Raises
    ------
    UnknownCompressionError
        If the encoding is not one of identity, gzip, deflate, zstd, lz4, snappy.
    """
    match (encoding or "identity").strip().lower():
        case "identity" | "none":
            return _Identity()
        case "gzip" | "x-gzip":
            return _Zlib(_GZIP_WINDOW)
        case "deflate":
            return _Zlib(_ZLIB_WINDOW)
        case "zstd":
            return _Zstd()
        case "lz4":
            return _Lz4()
        case "snappy":
            return _Snappy(limit)
        case other:
            raise UnknownCompressionError(
                f"content encoding {other[:40]!r} is not understood; send identity, gzip, deflate, zstd, lz4 or snappy"
            )


class BoundedSink:
    """Collects plain chunks and refuses to hold more than ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self.size = 0

    def take(self, chunks: Iterator[bytes]) -> None:
        """Collect every chunk; raises `TooLargeError` at the first byte too many."""
        for chunk in chunks:
            self.size += len(chunk)
            if self.size > self._limit:
                self._parts.clear()
                raise TooLargeError(f"the content is larger than {self._limit} bytes once decompressed")
            self._parts.append(chunk)

    def value(self) -> bytes:
        """Return everything collected."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


def decompress(data: bytes, encoding: str | None, limit: int, hold: Callable[[int], None] = lambda _: None) -> bytes:
    """Decompress ``data`` to at most ``limit`` bytes; ``hold`` is called with the size of each piece.

    Raises
    ------
    UnknownCompressionError, CorruptCompressionError, TooLargeError
        As their names say.
    """
    stream = decompressor(encoding, limit)
    sink = BoundedSink(limit)
    for plain in _all_of(stream, data):
        hold(len(plain))
        sink.take(iter((plain,)))
    return sink.value()


def _all_of(stream: Decompressor, data: bytes) -> Iterator[bytes]:
    yield from stream.feed(data)
    yield from stream.finish()
