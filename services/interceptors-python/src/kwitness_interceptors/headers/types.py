"""The types that a HeaderRegistry gives its keys: which bytes are of a type, and what they mean."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Optional, TypeVar

from .json_text import NotJsonError, is_json, parse_json, write_json

__all__ = [
    "BYTES",
    "INT32",
    "INT64",
    "JSON",
    "STRING",
    "TIMESTAMP",
    "TYPES",
    "UUID",
    "HeaderType",
    "HeaderValueError",
    "bytes_with",
    "has_type",
]

T = TypeVar("T")
_UUID_BYTES = 16
_UUID_TEXT = 36
_HYPHENS = (8, 13, 18, 23)
_DIGITS = frozenset(b"0123456789abcdefABCDEF")


class HeaderValueError(ValueError):
    """A value is not of a header's type; names the header, what is wrong, and what to do, and never the value."""


class _WrongValueError(ValueError):
    """Why a value is wrong; shows nothing of it."""


@dataclass(frozen=True)
class HeaderType(Generic[T]):
    """One type of values; `name` is the register's word for it.

    `is_right` judges the bytes, `to_bytes` and `from_bytes` convert and may raise anything for what they cannot.
    """

    name: str
    wants: str
    is_right: Callable[[bytes], bool]
    to_bytes: Callable[[T], bytes]
    from_bytes: Callable[[bytes], T]

    def encode(self, value: T) -> bytes:
        """Return the bytes of `value`.

        Raises
        ------
        HeaderValueError
            It is none that this type has.
        """
        try:
            return _bytes_of(self.to_bytes(value))
        except Exception as error:
            raise HeaderValueError(
                f"a value of class {type(value).__name__} is no {self.name} ({_reason(error)}): give {self.wants}"
            ) from error

    def decode(self, data: bytes) -> T:
        """Return the value that `data` is.

        Raises
        ------
        HeaderValueError
            It is not of this type.
        """
        try:
            if not self.is_right(data):
                raise _WrongValueError("it is of another type")  # noqa: TRY301 - reasons have one sentence around them
            return self.from_bytes(data)
        except Exception as error:
            raise HeaderValueError(
                f"a value of {len(data)} bytes is no {self.name} ({_reason(error)}): have its producer write "
                f"{self.wants}, or register the header with the type that it has"
            ) from error


def has_type(type_name: str, value: Optional[bytes]) -> bool:
    """Return whether a header's value is of a type of the register; a null value is of each.

    Raises
    ------
    KeyError
        No type has this name.
    """
    is_right = TYPES[type_name].is_right
    return value is None or is_right(value)


def bytes_with(to_bytes: Callable[[T], bytes], from_bytes: Callable[[bytes], T]) -> HeaderType[T]:
    """Return the type Bytes with a codec of one's own; what its functions raise becomes a `HeaderValueError`."""
    return HeaderType("Bytes", "what its codec writes", _is_anything, to_bytes, from_bytes)


def _reason(error: Exception) -> str:
    # The messages of codecs may show the value, and a header may be secret.
    return str(error) if isinstance(error, (_WrongValueError, NotJsonError)) else type(error).__name__


def _is_anything(_: bytes) -> bool:
    return True


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_json(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return is_json(text)


def _is_uuid(data: bytes) -> bool:
    if len(data) != _UUID_TEXT:
        return len(data) == _UUID_BYTES
    return all(
        character == ord("-") if place in _HYPHENS else character in _DIGITS for place, character in enumerate(data)
    )


def _text_of(value: str) -> bytes:
    return value.encode()


def _bytes_of(value: bytes) -> bytes:
    # bytes(4) would be four zeros.
    return memoryview(value).tobytes()


def _number_to(layout: struct.Struct) -> Callable[[int], bytes]:
    def to_bytes(value: int) -> bytes:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _WrongValueError("it is no int")
        try:
            return layout.pack(value)
        except struct.error:
            raise _WrongValueError(f"it does not fit into {layout.size} bytes") from None

    return to_bytes


def _number_from(layout: struct.Struct) -> Callable[[bytes], int]:
    def from_bytes(data: bytes) -> int:
        number: int = layout.unpack(data)[0]
        return number

    return from_bytes


def _is_long(size: int) -> Callable[[bytes], bool]:
    return lambda data: len(data) == size


def _number(name: str, layout: struct.Struct, wants: str) -> HeaderType[int]:
    return HeaderType(name, wants, _is_long(layout.size), _number_to(layout), _number_from(layout))


def _uuid_of(value: uuid.UUID) -> bytes:
    if not isinstance(value, uuid.UUID):
        raise _WrongValueError("it is no uuid.UUID")
    return value.bytes


def _uuid_from(data: bytes) -> uuid.UUID:
    return uuid.UUID(bytes=data) if len(data) == _UUID_BYTES else uuid.UUID(data.decode("ascii"))


_INT32 = struct.Struct(">i")
_INT64 = struct.Struct(">q")
STRING: HeaderType[str] = HeaderType("String", "text in UTF-8", _is_text, _text_of, bytes.decode)
BYTES: HeaderType[bytes] = HeaderType("Bytes", "bytes", _is_anything, _bytes_of, bytes)
INT32 = _number("Int32", _INT32, "a whole number in 4 bytes, the highest first")
INT64 = _number("Int64", _INT64, "a whole number in 8 bytes, the highest first")
UUID: HeaderType[uuid.UUID] = HeaderType("Uuid", "a UUID in its 16 bytes", _is_uuid, _uuid_of, _uuid_from)
TIMESTAMP = _number("Timestamp", _INT64, "milliseconds since 1970 in 8 bytes, the highest first")
JSON: HeaderType[Any] = HeaderType(
    "Json",
    "JSON (RFC 8259) in UTF-8, at most 64 levels deep",
    _is_json,
    lambda value: write_json(value).encode(),
    lambda data: parse_json(data.decode()),
)
TYPES: Mapping[str, HeaderType[Any]] = {one.name: one for one in (STRING, BYTES, INT32, INT64, UUID, TIMESTAMP, JSON)}
