"""Writes values as plain text for people: names are chosen by clients, so no control character is passed on."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["plain_text"]

_UNKNOWN: Final = "-"


def plain_text(value: Any) -> str:
    """Return a value as text: `-` for what is not known, lists with commas, and `?` for characters without a shape."""
    if value is None or value in ("", []):  # 0 and False are known
        return _UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if text.isprintable() else "".join(character if character.isprintable() else "?" for character in text)
