"""Selects the first items of one replica's windows."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from kwitness.collector.inventory.recent_rewinds import RecentRewinds
from kwitness.collector.inventory.recent_windows import Item, RecentWindows
from kwitness.collector.inventory.window_tables import Reading
from kwitness.collector.inventory.windows_question import Rank, WindowsQuestion
from kwitness.collector.prometheus.budget import Key
from kwitness.collector.turns import Turns

_SPARE: Final = 500
"""Items beyond the limit before they are sorted."""


class WindowsPart(BaseModel):
    """One replica's first items, sorted; exchanged between replicas of the same version.

    ``is_cut`` says that more items follow, ``matched`` counts all that match. A reader with a scope is told that there
    are entries ``left_out``, by ``incomplete``, and not how many.
    """

    model_config = ConfigDict(frozen=True)

    rows: tuple[tuple[Key, Reading], ...] = ()
    is_cut: bool = False
    matched: int = 0
    left_out: dict[str, int] = Field(default_factory=dict)
    incomplete: bool = False


class _First:
    """Keeps the first of all items that are added."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ranked: list[tuple[Rank, Item]] = []
        self._last: Rank | None = None
        self.is_cut = False

    def add(self, rank: Rank, item: Item) -> None:
        if self._last is None or rank < self._last:
            self._ranked.append((rank, item))
            if len(self._ranked) > self._limit + _SPARE:
                self.items()
        else:
            self.is_cut = True

    def items(self) -> list[Item]:
        self._ranked.sort(key=lambda ranked: ranked[0])
        if len(self._ranked) > self._limit:
            self.is_cut = True
            del self._ranked[self._limit :]
            self._last = self._ranked[-1][0]
        return [item for _, item in self._ranked]


async def windows_part(
    windows: RecentWindows, rewinds: RecentRewinds, question: WindowsQuestion, now_ms: int
) -> WindowsPart:
    """Select the first items of this replica that match."""
    turns, first, matched = Turns(), _First(question.limit), 0
    windows.expire(now_ms)
    for known in windows.items(question.stored):
        await turns.pause_when_due()
        if not known.is_shown or not question.matches(known.key):
            continue
        for item in question.shown(known):
            matched += 1
            if question.place is not None:
                first.add(question.rank(item.key, item.number(question.place)), item)
            elif question.after is None or item.key > question.after:
                first.add(question.rank(item.key, None), item)
    rows = []
    for item in first.items():
        await turns.pause_when_due()
        reading = item.reading()
        if reading is not None:  # its windows may be dropped meanwhile
            rows.append((item.key, _with_rewinds(question, item.key, reading, rewinds)))
    left_out = windows.recently_left_out(now_ms)
    part = WindowsPart(rows=tuple(rows), is_cut=first.is_cut, matched=matched, left_out=left_out)
    if question.scope is None:
        return part
    return part.model_copy(update={"left_out": {}, "incomplete": bool(left_out)})


def _with_rewinds(question: WindowsQuestion, key: Key, reading: Reading, rewinds: RecentRewinds) -> Reading:
    """Return what an item of a group has with what the reader sees of its rewinds; that of a client as it is."""
    if question.table is question.stored:
        return reading
    group = key[: len(question.stored.key)]
    return reading._replace(numbers=(*reading.numbers, *rewinds.numbers(group, question.shows_of(key))))
