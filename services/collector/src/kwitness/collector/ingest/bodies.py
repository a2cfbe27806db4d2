"""Reading a request's body: streaming, bounded before and after decompression, and within one budget for all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from aiohttp import web

from kwitness.collector.decompression import (
    BoundedSink,
    CorruptCompressionError,
    TooLargeError,
    UnknownCompressionError,
    decompressor,
)
from kwitness.collector.failures import (
    BodyTooLargeError,
    RefusedError,
    UnavailableError,
    UnsupportedContentError,
)
from kwitness.collector.time_limits import TimeLimits

MAX_COMPRESSED: Final = 8 * 1024 * 1024
MAX_PUSHES: Final = 64 * 1024 * 1024
"""Decompressed bytes of a batch of pushes."""
MAX_OTLP: Final = 16 * 1024 * 1024
"""Decompressed bytes of one OTLP request."""
BUDGET: Final = 96 * 1024 * 1024
"""Decompressed bytes held by all requests together."""
_CHUNK: Final = 64 * 1024


class Budget:
    """Bytes that requests hold at the same time; who comes when it is used up is asked to come back.

    ``body_s`` is how long a sender may take to send a body.
    """

    def __init__(self, limit: int = BUDGET, body_s: float = TimeLimits().body_s) -> None:
        self._limit = limit
        self.body_s = body_s
        self.used = 0

    def take(self, size: int) -> None:
        """Take bytes out; raises `UnavailableError` when there are not enough."""
        if self.used + size > self._limit:
            raise UnavailableError("Overloaded", "too many bytes are being received at once; try again")
        self.used += size

    @contextmanager
    def holding(self) -> Iterator[Hold]:
        """Give back whatever was taken when the request is over."""
        hold = Hold(self)
        try:
            yield hold
        finally:
            self.used -= hold.size


class Hold:
    """What one request has taken of the budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.body_s = budget.body_s
        self.size = 0

    def grow(self, size: int) -> None:
        """Take until ``size`` bytes are held; raises `UnavailableError`."""
        if size > self.size:
            self._budget.take(size - self.size)
            self.size = size

    def add(self, size: int) -> None:
        """Take so many bytes more; raises `UnavailableError`."""
        self.grow(self.size + size)


async def read(request: web.Request, hold: Hold, limit: int) -> bytes:
    """Read and decompress a body of at most `MAX_COMPRESSED` bytes to at most ``limit``.

    Raises
    ------
    BodyTooLargeError, UnsupportedContentError, UnavailableError, RefusedError
        When it is too large, in an unknown encoding, too much right now, corrupt or too slow.
    """
    encoding = request.headers.get("Content-Encoding")
    if (request.content_length or 0) > MAX_COMPRESSED:
        raise _too_large(f"the body has {request.content_length} bytes, {MAX_COMPRESSED} are accepted")
    try:
        stream = decompressor(encoding, limit)
        sink = BoundedSink(limit)
        received = 0
        async with asyncio.timeout(hold.body_s):
            async for chunk in request.content.iter_chunked(_CHUNK):
                received += len(chunk)
                if received > MAX_COMPRESSED:
                    raise _too_large(f"the body has more than {MAX_COMPRESSED} bytes; send smaller batches")
                for plain in stream.feed(chunk):
                    sink.take(iter((plain,)))
                    hold.grow(sink.size + received)
        for plain in stream.finish():
            sink.take(iter((plain,)))
            hold.grow(sink.size + received)
    except UnknownCompressionError as error:
        raise UnsupportedContentError("UnknownEncoding", str(error)) from error
    except CorruptCompressionError as error:
        raise RefusedError("CorruptBody", str(error)) from error
    except TooLargeError as error:
        raise _too_large(str(error)) from error
    except TimeoutError as error:
        raise UnavailableError("TooSlow", f"the body did not arrive within {hold.body_s:.0f} s; try again") from error
    return sink.value()


def _too_large(message: str) -> BodyTooLargeError:
    return BodyTooLargeError("TooLarge", message)
