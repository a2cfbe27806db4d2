"""Reads the compact sets of a record, so that the keys in them are evaluated as others are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Optional

from kwitness_interceptors.headers.compact_set import HeaderSetError, SetReader, encode_set
from kwitness_interceptors.records import Header

__all__ = ["MOST_SET_KEYS", "SetKeys", "read_sets"]

MOST_SET_KEYS: int = 4_096
"""Keys in the sets of one record that are evaluated: as many as a profile can have."""


class SetKeys(NamedTuple):
    """The keys of one set by number, as far as a reader gets.

    `problem` is what is wrong with the set: wrong_type where a reader gets no further, too_large where it has more keys
    than are evaluated.
    """

    entries: Sequence[tuple[int, bytes]]
    problem: Optional[str] = None

    def without(self, numbers: Collection[int], header: Header) -> Optional[Header]:
        """Return the header with the set that is left, None where nothing is."""
        left = {number: value for number, value in self.entries if number not in numbers}
        return Header(header.key, encode_set(left)) if left else None


def read_sets(headers: Sequence[Header]) -> list[SetKeys]:
    """Read sets of one record, in their order; a null value has no keys."""
    found: list[SetKeys] = []
    room = MOST_SET_KEYS
    for header in headers:
        found.append(_read(header.value or b"", room))
        room -= len(found[-1].entries)
    return found


def _read(data: bytes, most: int) -> SetKeys:
    reader = SetReader(data)
    entries: list[tuple[int, bytes]] = []
    while reader.position < len(data):
        if len(entries) >= most:
            return SetKeys(entries, "too_large")
        try:
            entry = reader.read_next()
        except HeaderSetError:
            return SetKeys(entries, "wrong_type")
        if entry is not None:
            entries.append(entry)
    return SetKeys(entries)
