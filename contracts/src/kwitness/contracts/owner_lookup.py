"""Finds the owner of a client, group or topic, without comparing each of ten thousand entries."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from .owners import OWNED_BY, KnownOwner, OwnedBy, OwnerList, text_fits

__all__ = ["OwnerLookup"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_SAME_NAMES: Mapping[OwnedBy, str] = {name: name for name in OWNED_BY}


class _Candidate(NamedTuple):
    entry: KnownOwner
    patterns: dict[str, str]
    from_ms: int


class OwnerLookup:
    """The first entry of ``owners`` that fits counts.

    ``keys`` has the name under which each fact stands in the values that are compared; an entry that matches a fact
    without a key fits nothing.
    """

    def __init__(self, owners: OwnerList, keys: Mapping[OwnedBy, str] = _SAME_NAMES) -> None:
        self.owners = owners
        self._entries: list[_Candidate] = []
        self._exact: dict[tuple[str, str], list[int]] = {}
        self._beginnings: dict[tuple[str, str], list[int]] = {}
        self._lengths: dict[str, set[int]] = {}
        fitting = [(entry, patterns) for entry in owners.owners if (patterns := _by_key(entry, keys)) is not None]
        shared = Counter(compared for _, patterns in fitting for compared in patterns.items())
        for entry, patterns in fitting:
            self._add(entry, patterns, shared)
        self._times = sorted({candidate.from_ms for candidate in self._entries} - {0})

    def _add(self, entry: KnownOwner, patterns: dict[str, str], shared: Mapping[tuple[str, str], int]) -> None:
        index = len(self._entries)
        from_ms = 0 if entry.valid_from is None else max(0, (entry.valid_from - _EPOCH) // _MILLISECOND)
        self._entries.append(_Candidate(entry, patterns, from_ms))
        # All patterns must fit, so that one is enough to find the entry by: that which fewest other entries have. A
        # thousand entries may name one namespace.
        key, pattern = min(patterns.items(), key=lambda compared: (shared[compared], compared[1].endswith("*")))
        lengths = self._lengths.setdefault(key, set())
        if pattern.endswith("*"):
            lengths.add(len(pattern) - 1)
            self._beginnings.setdefault((key, pattern[:-1]), []).append(index)
        else:
            self._exact.setdefault((key, pattern), []).append(index)

    def owner_of(self, values: Mapping[str, str | None], at_ms: int) -> KnownOwner | None:
        """Return the first entry that fits ``values`` and counts at ``at_ms`` (milliseconds since 1970).

        A value that is absent or None fits no pattern. None: no entry fits.
        """
        for index in sorted(self._candidates(values)):
            entry, patterns, from_ms = self._entries[index]
            if from_ms <= at_ms and all(text_fits(pattern, values.get(key)) for key, pattern in patterns.items()):
                return entry
        return None

    def next_change_ms(self, at_ms: int) -> int | None:
        """Return the first time after ``at_ms`` from which an entry counts; None if there is no such entry."""
        place = bisect_right(self._times, at_ms)
        return self._times[place] if place < len(self._times) else None

    def _candidates(self, values: Mapping[str, str | None]) -> Iterator[int]:
        for key, lengths in self._lengths.items():
            text = values.get(key)
            if text is not None:
                yield from self._exact.get((key, text), ())
                for length in lengths:
                    if length <= len(text):
                        yield from self._beginnings.get((key, text[:length]), ())


def _by_key(entry: KnownOwner, keys: Mapping[OwnedBy, str]) -> dict[str, str] | None:
    """Return the patterns of an entry by the keys of their facts; None where a fact has no key."""
    patterns = entry.match.patterns()
    return {keys[name]: pattern for name, pattern in patterns.items()} if patterns.keys() <= keys.keys() else None
