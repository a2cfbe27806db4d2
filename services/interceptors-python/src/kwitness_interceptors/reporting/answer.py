"""What a collector answers; nothing that it says is believed beyond what was sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple, Optional

__all__ = ["Answer", "owner_of", "parse_answer"]

_PROTOCOL = 2
_LONGEST_REASON = 64
_MOST_RANGES = 10_000


class Answer(NamedTuple):
    """What became of each number, and what the collector wants."""

    collector: str
    replica: int
    taken: tuple[tuple[int, int], ...]
    rejected: Mapping[int, str]
    retry_after_ms: int
    settings: Optional[str]
    suspend: Optional[bool]

    def is_taken(self, seq: int) -> bool:
        """Whether the collector has this number, now or since earlier."""
        return any(first <= seq <= last for first, last in self.taken)


def parse_answer(body: bytes) -> Optional[Answer]:
    """Read an answer; None when it is none of a collector's."""
    try:
        data = json.loads(body)
        if data["protocol"] < _PROTOCOL:
            return None
        directives = data.get("directives") or {}
        return Answer(
            str(data["collector"]),
            int(data["replica"]),
            (*_ranges(data.get("accepted", "")), *_ranges(data.get("duplicates", ""))),
            {int(one["seq"]): str(one["reason"])[:_LONGEST_REASON] for one in data.get("rejected", ())},
            int(data.get("retry_after_ms", 0)),
            directives.get("settings"),
            directives.get("suspend"),
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def owner_of(key: str, replicas: int) -> int:
    """Return the ordinal of the replica that owns a key: rendezvous hashing, as the collector itself does it."""

    def weight(ordinal: int) -> tuple[int, int]:
        digest = hashlib.sha256(f"{key}|{ordinal}".encode()).digest()
        return int.from_bytes(digest[:8], "big"), -ordinal

    return max(range(replicas), key=weight)


def _ranges(text: str) -> list[tuple[int, int]]:
    """Read numbers such as ``1-340,342``."""
    found = []
    for part in text.split(",", _MOST_RANGES):
        if part:
            first, _, last = part.partition("-")
            found.append((int(first), int(last or first)))
    return found
