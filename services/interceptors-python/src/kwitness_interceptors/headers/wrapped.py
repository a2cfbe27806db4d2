"""Values that carry headers before the payload, as they were written while Kafka had no headers (Message<H, P>).

A wrapped value is a magic prefix of one's own, the size of the set as int32, the set, and the payload: KIP-82's
HeadersLength and Headers. What does not begin with the prefix is a payload as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional

from kwitness_interceptors.records import Header

from .compact_set import SET_HEADER, HeaderSetError, decode_set, encode_set

__all__ = ["Unwrapped", "WrappedValues"]

_INT = 4


class Unwrapped(NamedTuple):
    """The payload, and the headers that were before it: none, or one that `HeaderReader` reads as the record's own.

    Put `headers` before the record's own: those count then where both have one, and a set among them hides this one.
    """

    payload: Optional[bytes]
    headers: tuple[Header, ...] = ()


class WrappedValues:
    """Wraps and unwraps values with one magic prefix.

    Raises
    ------
    ValueError
        The prefix is empty: every value would begin with it.
    """

    def __init__(self, magic: bytes) -> None:
        if not magic:
            raise ValueError("the magic prefix is empty: give the bytes that wrapped values begin with, at least one")
        self._magic = bytes(magic)

    def unwrap(self, value: Optional[bytes]) -> Unwrapped:
        """Return the payload and its headers; a value without the prefix, and null, as they are.

        Raises
        ------
        HeaderSetError
            The value has the prefix, and no set behind it.
        """
        if value is None or value[: len(self._magic)] != self._magic:
            return Unwrapped(value)
        start = len(self._magic) + _INT
        if len(value) < start:
            raise _not_wrapped("truncated", value, "the size of its headers lacks bytes")
        size = int.from_bytes(value[start - _INT : start], "big", signed=True)
        if size < 0:
            raise _not_wrapped("negative_length", value, f"the size of its headers is {size}")
        if size > len(value) - start:
            raise _not_wrapped("truncated", value, f"its headers have {size} bytes, of which {len(value) - start} are")
        headers = bytes(value[start : start + size])
        decode_set(headers)  # a payload that begins with the prefix by chance is found out here
        return Unwrapped(bytes(value[start + size :]), (Header(SET_HEADER, headers),) if headers else ())

    def wrap(self, headers: Mapping[int, bytes], payload: bytes) -> bytes:
        """Return a wrapped value, for consumers that do not read headers of records yet.

        Without headers it is the payload itself, unless that begins with the prefix. A deletion has no payload, and
        no place for headers in its value: send null.
        """
        if not headers and payload[: len(self._magic)] != self._magic:
            return payload
        written = encode_set(headers)
        return b"".join((self._magic, len(written).to_bytes(_INT, "big"), written, payload))


def _not_wrapped(reason: str, value: bytes, what: str) -> HeaderSetError:
    return HeaderSetError(
        reason,
        f"a value of {len(value)} bytes begins with the magic prefix and is not wrapped: {what}; unwrap topics with "
        "wrapped values alone, or choose a prefix that no payload begins with",
    )
