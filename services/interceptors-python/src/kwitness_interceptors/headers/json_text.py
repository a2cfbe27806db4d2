"""JSON as RFC 8259 has it, and nothing beyond: what every runtime takes alike (contracts/vectors/header_types.json)."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["MOST_NESTED", "NotJsonError", "is_json", "parse_json", "write_json"]

MOST_NESTED = 64
"""Objects and arrays within each other; deeper values are refused, so that no reader of them runs out of stack."""

# A text is passed over whole, also one without an end: the decoder refuses that one where it begins.
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)


class NotJsonError(ValueError):
    """Why something is no JSON; shows nothing of it."""


def is_json(text: str) -> bool:
    """Return whether `text` is one JSON value, at most `MOST_NESTED` deep."""
    try:
        _decode(text, _CHECKING)
    except ValueError:
        return False
    return True


def parse_json(text: str) -> Any:
    """Return the value that `text` is.

    Raises
    ------
    ValueError
        It is no JSON, or has a number of more digits than Python reads; a `NotJsonError` where it is nested deeper than
        `MOST_NESTED`, or is what Python alone would take.
    """
    return _decode(text, _READING)


def write_json(value: Any) -> str:
    """Return `value` as JSON without blanks.

    Raises
    ------
    NotJsonError
        It is nested deeper than `MOST_NESTED`, or has something in it that JSON has not: NaN, a name that is no str,
        an object of another class, half of a surrogate pair.
    """
    _check(value, MOST_NESTED)
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        raise NotJsonError("a number is not finite, or has more digits than Python writes") from None
    if not _is_unicode(text):
        raise NotJsonError("half of a surrogate pair is no character")
    return text


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _decode(text: str, decoder: json.JSONDecoder) -> Any:
    if _is_too_deep(text):
        raise NotJsonError(f"nested deeper than {MOST_NESTED}")
    if text.startswith("\ufeff"):
        raise NotJsonError("a byte order mark is no JSON")
    return decoder.decode(text)


def _is_too_deep(text: str) -> bool:
    """Whether the value is as far as it is JSON, which is as far as the decoder reads."""
    if text.count("[") + text.count("{") <= MOST_NESTED:
        return False
    depth = 0
    for token in _TOKENS.finditer(text):
        mark = token.group()[0]
        if mark in "[{":
            depth += 1
            if depth > MOST_NESTED:
                return True
        elif mark in "]}":
            depth -= 1
    return False


def _check(value: Any, levels: int) -> None:
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise NotJsonError("a name in an object is no str")
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        if levels == 0:
            raise NotJsonError(f"nested deeper than {MOST_NESTED}")
        for one in value:
            _check(one, levels - 1)
    elif value is not None and not isinstance(value, (str, int, float)):
        raise NotJsonError(f"JSON has no {type(value).__name__}")


def _none(word: str) -> Any:
    raise NotJsonError(f"{word} is no JSON")


def _ascii(digits: str) -> str:
    # Where the standard library's scanner is not the compiled one, digits of other scripts count as digits.
    if not digits.isascii():
        raise NotJsonError("digits beyond ASCII are no JSON")
    return digits


# Numbers of any length are JSON, and none is computed to find that out.
_CHECKING = json.JSONDecoder(parse_constant=_none, parse_int=_ascii, parse_float=_ascii)
_READING = json.JSONDecoder(
    parse_constant=_none,
    parse_int=lambda digits: int(_ascii(digits)),
    parse_float=lambda digits: float(_ascii(digits)),
)
