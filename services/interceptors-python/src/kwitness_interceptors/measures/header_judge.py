"""What is to be said of a header: contracts/vectors/header_rules.json has examples that every runtime judges alike."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Optional, Union

from kwitness_interceptors.header_rules import HeaderRules, RegisteredKey, RegisteredPrefix
from kwitness_interceptors.headers.compact_set import SET_HEADER
from kwitness_interceptors.headers.types import TYPES

__all__ = ["DENY", "WARN", "HeaderJudge", "Known"]

DENY = "Deny"
WARN = "Warn"

_OWN = RegisteredPrefix("kwitness.", "Bytes")
_MOST_REMEMBERED = 4_096
_REMOVABLE = frozenset({"unregistered", "wrong_type", "too_large"})


class Known(NamedTuple):
    """What holds for all headers with one key.

    `problems` are those that each of them has; `is_right` judges a value, None where anything is right.
    """

    registered: bool
    policy: str
    problems: tuple[str, ...]
    is_right: Optional[Callable[[bytes], bool]]
    max_bytes: Optional[int]
    counts_values: bool

    def problems_of(self, value: Optional[bytes]) -> tuple[str, ...]:
        """Return what is wrong with a header, in the order of the contract; a null value is of any type."""
        if value is None:
            return self.problems
        is_wrong = self.is_right is not None and not self.is_right(value)
        is_large = self.max_bytes is not None and len(value) > self.max_bytes
        if not is_wrong and not is_large:
            return self.problems
        return (*(("wrong_type",) if is_wrong else ()), *(("too_large",) if is_large else ()), *self.problems)

    def is_removed(self, problems: Collection[str]) -> bool:
        """Whether a producer's interceptors remove a header with these problems."""
        return self.policy == DENY and not _REMOVABLE.isdisjoint(problems)


class HeaderJudge:
    """Judges by the rules of a profile; without rules no key is registered.

    `required` are the keys that each record must have, with their policies. `names` are those of keys by their
    number, of which the compact set of a record is made.
    """

    def __init__(self, rules: Optional[HeaderRules]) -> None:
        self.rules = rules = rules or HeaderRules()
        self._values_of = frozenset(rules.values_of)
        self._unregistered = Known(False, rules.unregistered, ("unregistered",), None, None, False)
        self._keys: dict[str, RegisteredKey] = {}
        for key in rules.keys:
            self._keys.setdefault(key.name, key)
        self._prefixes: dict[str, RegisteredPrefix] = {}
        for prefix in (*rules.prefixes, _OWN):
            self._prefixes.setdefault(prefix.prefix, prefix)
        self._lengths = sorted({len(one) for one in self._prefixes}, reverse=True)
        self._known: dict[str, Known] = {}
        self.names: dict[int, str] = {}
        for key in self._keys.values():
            if key.id is not None:
                self.names.setdefault(key.id, key.name)
        self.required = {key.name: key.policy for key in self._keys.values() if key.required}

    def of(self, key: str) -> Known:
        """Return what holds for headers with this key."""
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            found = self._known[key] = self._find(key)
        return found

    def of_number(self, number: int) -> tuple[str, Known]:
        """Return what a number of the set is called in rows, and what holds for it; a prefix is no number's."""
        name = self.names.get(number)
        return (f"#{number}", self._unregistered) if name is None else (name, self.of(name))

    def _find(self, key: str) -> Known:
        entry = self._keys.get(key)
        if entry is not None:
            always = (("deprecated", entry.deprecated), ("testing_id", entry.testing_id))
            return self._registered(key, entry, tuple(name for name, holds in always if holds))
        for length in self._lengths:
            prefix = self._prefixes.get(key[:length])
            if prefix is _OWN and key == SET_HEADER and self.names:
                # What cannot be read may be anything.
                return Known(True, self.rules.unregistered, (), None, None, False)
            if prefix is not None:
                return self._registered(key, prefix, ("deprecated",) if prefix.deprecated else ())
        return self._unregistered

    def _registered(self, key: str, entry: Union[RegisteredKey, RegisteredPrefix], problems: tuple[str, ...]) -> Known:
        return Known(
            True,
            entry.policy,
            problems,
            None if entry.type == "Bytes" else TYPES[entry.type].is_right,
            entry.max_bytes,
            key in self._values_of and entry.sensitivity != "Secret",
        )
