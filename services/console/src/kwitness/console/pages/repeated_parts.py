"""Makes parts of a page once for equal values, since most rows have the software and evidence of others."""

from __future__ import annotations

from typing import Any

from jinja2.runtime import Macro

__all__ = ["RepeatedParts"]


class RepeatedParts:
    """Results of macros on one page, by their values."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], str] = {}

    def __call__(self, macro: Macro, *values: Any) -> str:
        """Return the result of a macro for values; a list among them is read as a tuple."""
        key = (macro, *(tuple(value) if isinstance(value, list) else value for value in values))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = macro(*key[1:])
        return made
