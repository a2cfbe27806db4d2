"""The fields of a file of settings, read by hand: what is wrong with one is said with its name."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Optional

__all__ = ["Fields", "SettingsError", "matching"]


class SettingsError(ValueError):
    """The file cannot be used; names the field, what is wrong, and what is right."""


class Fields:
    """An object of the file, whose fields are all known."""

    def __init__(self, given: object, place: str, known: tuple[str, ...]) -> None:
        if not isinstance(given, dict):
            raise SettingsError(f"{place} is {type(given).__name__}: it must be an object")
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise SettingsError(f"{place} has the unknown field {unknown[0]}: correct or remove it")
        self.given: dict[str, Any] = given
        self._place = place

    def required(self, name: str) -> Any:
        if name not in self.given:
            raise SettingsError(f"{self._place} has no {name}: add it")
        return self.given[name]

    def text(self, name: str, pattern: Optional[re.Pattern[str]], longest: int) -> str:
        return matching(self.required(name), pattern, name, longest)

    def flag(self, name: str, *, default: Optional[bool] = None) -> bool:
        """Return whether it is true; without a default it must be there."""
        value = self.required(name) if default is None else self.given.get(name, default)
        if not isinstance(value, bool):
            raise SettingsError(f"{name} is {value!r}: it must be true or false")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.given.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise SettingsError(f"{name} is {value!r}: it must be a whole number from {least} to {most}")
        return value

    def number_or_null(self, name: str, least: int, most: int) -> Optional[int]:
        return None if self.given.get(name) is None else self.number(name, least, least, most)

    def one_of(self, name: str, words: Collection[str], default: Optional[str] = None) -> str:
        value = self.required(name) if default is None else self.given.get(name, default)
        if not isinstance(value, str) or value not in words:
            raise SettingsError(f"{name} is {value!r}: it must be one of {', '.join(words)}")
        return value

    def list(self, name: str, least: int, most: int) -> list[Any]:
        value = self.required(name) if least else self.given.get(name, [])
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise SettingsError(f"{name} must be a list of {least} to {most}")
        return value


def matching(value: object, pattern: Optional[re.Pattern[str]], place: str, longest: int) -> str:
    """Return text of `longest` characters at most that matches a pattern, where there is one.

    Raises
    ------
    SettingsError
        It does not; `place` is what it is called.
    """
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise SettingsError(f"{place} is {value!r}: it must be text of 1 to {longest} characters")
    if pattern is not None and pattern.fullmatch(value) is None:
        raise SettingsError(f"{place} is {value!r}: it must match {pattern.pattern}")
    return value
