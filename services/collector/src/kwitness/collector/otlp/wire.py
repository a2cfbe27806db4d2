"""Protobuf's wire format: fields and variable-length numbers, without knowing what they mean.

Source: protobuf's documentation, "Encoding".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5
_MAX_VARINT: Final = 10
"""Bytes: 64 bits."""


WireField = tuple[int, int, int, int, int]
"""A field's number and wire type; where its tag begins, its content begins, and what follows it begins. Plain: made for
every field."""


def fields(data: bytes, start: int, end: int) -> Iterator[WireField]:
    """Yield the fields of a message; raises IndexError or ValueError where it is none, or has groups."""
    position = start
    while position < end:
        at = position
        tag, position = read_varint(data, position)
        wire = tag & 7
        if wire == BYTES:
            size, position = read_varint(data, position)
            following = position + size
        elif wire == FIXED64:
            following = position + 8
        elif wire == FIXED32:
            following = position + 4
        elif wire == VARINT:
            _, following = read_varint(data, position)
        else:
            raise ValueError("groups are not read")
        if following > end:
            raise ValueError("a field is longer than its message")
        yield tag >> 3, wire, at, position, following
        position = following


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number at a position, and where it ends; raises IndexError or ValueError."""
    number = data[position]
    if number < 0x80:  # noqa: PLR2004 - the continuation bit
        return number, position + 1
    number &= 0x7F
    for index in range(1, _MAX_VARINT):
        byte = data[position + index]
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit
            return number, position + index + 1
    raise ValueError("a number has more than 64 bits")


def write_varint(number: int) -> bytes:
    """Write a number."""
    out = bytearray()
    while number > 0x7F:  # noqa: PLR2004 - seven bits a byte
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
