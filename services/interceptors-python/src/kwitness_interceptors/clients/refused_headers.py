"""What to do where a client refuses a record because of headers that the profile added: send it without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from kwitness_interceptors.records import AddedHeader, Header

__all__ = ["refuses_headers", "without_added"]

_CLASSES = frozenset({"MessageSizeTooLargeError", "UnsupportedVersionError", "UnsupportedForMessageFormatException"})
_CODES = frozenset({"MSG_SIZE_TOO_LARGE", "_UNSUPPORTED_FEATURE", "UNSUPPORTED_FOR_MESSAGE_FORMAT"})


def refuses_headers(error: BaseException) -> bool:
    """Whether it may be the headers that a client refuses: the record is too large, or its format has none."""
    if type(error).__name__ in _CLASSES:
        return True
    if isinstance(error, AssertionError):
        # The formats before version 2 in kafka-python and aiokafka.
        return "eaders not supported" in str(error)
    first: Any = error.args[0] if error.args else None
    name = first.name() if callable(getattr(first, "name", None)) else None
    return name in _CODES


def without_added(headers: Sequence[Header]) -> Optional[list[tuple[str, Optional[bytes]]]]:
    """Return the headers that are not the profile's; None where none is."""
    kept = [(one[0], one[1]) for one in headers if not isinstance(one, AddedHeader)]
    return kept if len(kept) < len(headers) else None
