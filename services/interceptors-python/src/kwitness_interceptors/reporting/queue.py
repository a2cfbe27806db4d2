"""What waits for the collector, within a bound; what does not fit is dropped and counted."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from .answer import Answer

__all__ = ["HEADERS", "INTERCEPTIONS", "SEALS", "TOTALS", "Item", "Ledger", "Queue"]

INTERCEPTIONS = "interceptions"
HEADERS = "headers"
SEALS = "seals"
TOTALS = ""
"""Topic of an item that goes into the head instead."""

_MOST_BYTES = 768 * 1024
"""Of the items of one request; what is left to a mebibyte is for the head."""
_MOST_ITEMS = 4_000
_ROW_OVERHEAD = 128
"""What a row takes in the head beside its key."""
_ROOM_FOR_SEALS = 65_536
"""Bytes that seals may take beyond the bound of the queue, for they say what was dropped."""


class Item(NamedTuple):
    """One number; `line` is its JSON."""

    seq: int
    topic: str
    key: str
    line: bytes


class Ledger:
    """accepted = delivered + queued + dropped, in rows."""

    def __init__(self) -> None:
        self.accepted = self.delivered = 0
        self.dropped: dict[str, int] = {}

    def drop(self, reason: str, count: int = 1) -> None:
        """Count rows that were given up."""
        self.dropped[reason] = self.dropped.get(reason, 0) + count


class Queue:
    """Items in the order of their numbers.

    A seal is sent when everything before it is settled, so what became of its rows can be said in it.
    """

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.next_seq = 1
        self._items: deque[Item] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def settled(self) -> int:
        """The number below which all are final."""
        return self._items[0].seq if self._items else self.next_seq

    @property
    def rows(self) -> int:
        """Rows that wait."""
        return sum(1 for one in self._items if one.topic != TOTALS)

    def push(self, topic: str, key: str, fields: Mapping[str, Any], most_bytes: int) -> Optional[int]:
        """Number a row or totals, and queue it; return the number, None if there was no room.

        `fields` get the number as ``event_seq``, totals as ``seq``.
        """
        seq, self.next_seq = self.next_seq, self.next_seq + 1
        numbered = {("seq" if topic == TOTALS else "event_seq"): seq, **fields}
        line = json.dumps(numbered, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
        if topic != TOTALS:
            self.ledger.accepted += 1
        if self._bytes + len(line) > most_bytes + (_ROOM_FOR_SEALS if topic == SEALS else 0):
            if topic != TOTALS:
                self.ledger.drop("queue_full")
            return None
        self._items.append(Item(seq, topic, key, line))
        self._bytes += len(line)
        return seq

    def batch(self, most: int) -> list[Item]:
        """Return the items of the next request, `most` at most; they stay until they are settled."""
        batch: list[Item] = []
        size = 0
        for item in self._items:
            size += len(item.line) + len(item.key) + _ROW_OVERHEAD
            begins_seals = item.topic == SEALS and bool(batch) and batch[-1].topic != SEALS
            if batch and (begins_seals or size > _MOST_BYTES or len(batch) >= min(most, _MOST_ITEMS)):
                break
            batch.append(item)
        return batch

    def settle(self, batch: list[Item], answer: Answer) -> int:
        """Take out what the collector has or will never take; return how many are to be sent again."""
        again = 0
        for item in batch:
            if answer.is_taken(item.seq):
                self._remove(item, None)
            elif item.seq in answer.rejected:
                self._remove(item, answer.rejected[item.seq])
            else:
                again += 1
        return again

    def give_up(self, item: Item, reason: str) -> None:
        """Drop an item that no request can hold."""
        self._remove(item, reason)

    def _remove(self, item: Item, lost: Optional[str]) -> None:
        self._items.remove(item)
        self._bytes -= len(item.line)
        if item.topic == TOTALS:
            return
        if lost is None:
            self.ledger.delivered += 1
        else:
            self.ledger.drop(lost)
            self._say_in_seal(item, lost)

    def _say_in_seal(self, lost: Item, reason: str) -> None:
        for at, item in enumerate(self._items):
            if item.topic != SEALS or lost.topic == SEALS:
                continue
            seal = json.loads(item.line)
            if seal["first_seq"] <= lost.seq <= seal["last_seq"]:
                seal["count"] -= 1
                dropped = seal.setdefault("dropped", {})
                dropped[reason] = dropped.get(reason, 0) + 1
                line = json.dumps(seal, separators=(",", ":")).encode()
                self._bytes += len(line) - len(item.line)
                self._items[at] = item._replace(line=line)
                return
