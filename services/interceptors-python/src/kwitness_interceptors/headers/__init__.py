"""Record headers with types (KIP-82): keys of a register, their values, and many of them in one header.

For the code of applications and of interceptors of one's own. `kwitness generate headers` writes the keys of a
HeaderRegistry as constants.
"""

from .compact_set import SET_HEADER, HeaderSetError, SetReader, decode_set, encode_set
from .keys import HeaderKey
from .records_headers import HeaderReader, HeaderWriter
from .types import (
    BYTES,
    INT32,
    INT64,
    JSON,
    STRING,
    TIMESTAMP,
    TYPES,
    UUID,
    HeaderType,
    HeaderValueError,
    bytes_with,
    has_type,
)
from .wrapped import Unwrapped, WrappedValues

__all__ = [
    "BYTES",
    "INT32",
    "INT64",
    "JSON",
    "SET_HEADER",
    "STRING",
    "TIMESTAMP",
    "TYPES",
    "UUID",
    "HeaderKey",
    "HeaderReader",
    "HeaderSetError",
    "HeaderType",
    "HeaderValueError",
    "HeaderWriter",
    "SetReader",
    "Unwrapped",
    "WrappedValues",
    "bytes_with",
    "decode_set",
    "encode_set",
    "has_type",
]
