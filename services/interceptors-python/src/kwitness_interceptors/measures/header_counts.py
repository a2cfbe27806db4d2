"""Headers of one window of a client, by topic and key."""

from __future__ import annotations

import base64
from collections import defaultdict
from typing import Optional

__all__ = ["MOST_ROWS", "HeaderTally", "HeaderWindow"]

MOST_ROWS = 256
"""Topics with keys that have a row of their own."""
MOST_VALUES = 32
LONGEST_VALUE = 64
"""Of a value that is told apart, in bytes."""
_LONGEST_KEY = 128

Place = tuple[str, Optional[str]]


class HeaderTally:
    """Headers with one key, or with keys that are too many to be told apart."""

    __slots__ = ("bytes", "headers", "problems", "registered", "removed", "values", "values_left_out")

    def __init__(self) -> None:
        self.registered = False
        self.headers = self.bytes = self.removed = self.values_left_out = 0
        self.problems: dict[str, int] = defaultdict(int)
        self.values: dict[bytes, int] = {}

    def add_value(self, value: bytes) -> None:
        """Count a value; one that is too long, or one too many, is left out."""
        value = bytes(value)
        if value in self.values:
            self.values[value] += 1
        elif len(value) <= LONGEST_VALUE and len(self.values) < MOST_VALUES:
            self.values[value] = 1
        else:
            self.values_left_out += 1

    def add(self, other: HeaderTally) -> None:
        """Count what another one has counted, but for its values."""
        self.registered |= other.registered
        self.headers += other.headers
        self.bytes += other.bytes
        self.removed += other.removed
        for problem, count in other.problems.items():
            self.problems[problem] += count

    def texts(self) -> list[tuple[str, int]]:
        """Return the values as text, what is no UTF-8 in base64."""
        return [(_text(value), count) for value, count in self.values.items()]


class HeaderWindow:
    """All of them; `records` are records by topic, those whose headers were looked at among them.

    Topics and keys beyond the bound share the place None.
    """

    __slots__ = ("records", "tallies")

    def __init__(self) -> None:
        self.records: dict[Optional[str], list[int]] = {}
        self.tallies: dict[Optional[Place], HeaderTally] = {}

    def add_records(self, topic: str, count: int, *, looked_at: bool) -> None:
        """Count records of a topic."""
        found = self.records.get(topic)
        if found is None:
            # A topic whose records have no header needs a row, too.
            is_known = not self.is_overflow(self.tally(topic, None))
            found = self.records.setdefault(topic if is_known else None, [0, 0])
        found[0] += count
        if looked_at:
            found[1] += count

    def tally(self, topic: str, key: Optional[str]) -> HeaderTally:
        """Return where headers with a key are counted."""
        place = (topic, key if key is None else key[:_LONGEST_KEY])
        found = self.tallies.get(place)
        if found is None:
            overflow = len(self.tallies) - (None in self.tallies) >= MOST_ROWS
            found = self.tallies.setdefault(None if overflow else place, HeaderTally())
        return found

    def is_overflow(self, tally: HeaderTally) -> bool:
        """Whether a tally is of keys that are too many: whether they are registered and their values are not told."""
        return tally is self.tallies.get(None)

    def rows(self) -> list[tuple[Optional[Place], HeaderTally, list[int]]]:
        """Return what has a row of its own, with the records of its topic."""
        with_keys = {place[0] for place in self.tallies if place is not None and place[1] is not None}
        return [
            (place, tally, self.records.get(None if place is None else place[0], [0, 0]))
            for place, tally in self.tallies.items()
            if place is None or place[1] is not None or place[0] not in with_keys
        ]


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"base64:{base64.b64encode(value).decode()}"
