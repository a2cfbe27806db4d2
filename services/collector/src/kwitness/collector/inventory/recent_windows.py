"""Keeps the last three closed windows of each observer, within a budget of bytes (docs/decisions/0167)."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from kwitness.collector.fairness import Shares
from kwitness.collector.inventory.window_tables import (
    GROUP_TABLE,
    TRAFFIC_TABLE,
    Number,
    Reading,
    Table,
    client_of,
    group_rows,
    traffic_rows,
)
from kwitness.collector.origin import Origin, origin_of
from kwitness.collector.prometheus.budget import Key
from kwitness.contracts.envelopes import EventsHead, WindowTotals

MAX_RECENT_BYTES: Final = 64 * 1024 * 1024
"""Memory of all windows of a replica, as estimated by the figures below."""
_WINDOW_BYTES: Final = 1_000
_ITEM_BYTES: Final = 500
"""Of an item without the texts of its key, and of its client among those that have traffic."""
_ROW_BYTES: Final = 150
_ERRORS_BYTES: Final = 300
"""Of a row with errors, and of each code."""
_ERROR_BYTES: Final = 50
MAX_WINDOWS: Final = 3
"""Windows of a source."""
_LONGEST_MS: Final = 3_600_000
"""The longest window that an observer can be set to."""
_SHOWN_MS: Final = 60_000
"""How long windows are shown after three window lengths."""
MAX_ROWS: Final = 3_000
"""Rows of an item: a thousand observers of one consumer group. They are read in one piece."""
_RELEASED_AT_ONCE: Final = 2_000
"""Rows of windows that are in no answer any more, released in a piece."""
_NO_ERRORS: Final[Mapping[str, int]] = {}


@dataclass(slots=True, eq=False)
class Source:
    """One observer: its windows by their ends, and the namespace of its pod if that is its clients' pod, too."""

    namespace: str = ""
    windows: dict[int, Window] = field(default_factory=dict)
    seconds: float = 0.0
    """From the first begin to the last end: a window that is missing in between had no traffic."""

    def measure(self) -> None:
        """Compute the seconds again."""
        kept = self.windows.values()
        if kept:
            begin_ms, end_ms = min(window.start_ms for window in kept), max(self.windows)
            self.seconds = (end_ms - begin_ms) / 1_000


@dataclass(slots=True, eq=False)
class Window:
    """One window.

    ``until_ms`` is in milliseconds of this collector's clock; ``items`` have a row of it, some of them with ``errors``.
    """

    source: Source
    holder: str
    start_ms: int
    end_ms: int
    until_ms: int
    items: list[Item] = field(default_factory=list)
    errors: dict[Item, Mapping[str, int]] = field(default_factory=dict)
    is_kept: bool = True


@dataclass(slots=True, eq=False)
class Item:
    """Packed numbers of a key by their windows, the oldest first."""

    table: Table
    key: Key
    rows: dict[Window, bytes] = field(default_factory=dict)

    @property
    def is_shown(self) -> bool:
        """False while the last rows are released."""
        return any(window.is_kept for window in self.rows)

    @property
    def namespaces(self) -> list[str]:
        """The namespaces of the sidecars that rows are of, sorted; an empty one for all other observers."""
        return sorted({window.source.namespace for window in self.rows if window.is_kept})

    def of_namespaces(self, shows: Callable[[str], bool], key: Key | None = None) -> Item | None:
        """Return an item that has the rows of some namespaces alone, under another key if any; None without rows."""
        rows = {window: row for window, row in self.rows.items() if window.is_kept and shows(window.source.namespace)}
        return Item(self.table, key or self.key, rows) if rows else None

    def row(self, window: Window) -> Reading:
        """Return what one window has."""
        return Reading(self.table.unpack(self.rows[window]), window.errors.get(self, _NO_ERRORS), window.end_ms)

    def number(self, place: int) -> Number:
        """Return one number of the reading, in a fraction of its time."""
        table, is_level, is_rate = self.table, place >= self.table.added, place < len(self.table.rates)
        newest = self._newest() if is_level else {}
        numbers = [
            number / window.source.seconds if is_rate else number
            for window, packed in self.rows.items()
            if window.is_kept
            and (not is_level or newest[window.source] == window.end_ms)
            and (number := table.unpack_number(packed, place)) is not None
        ]
        return (max(numbers) if is_level else sum(numbers)) if numbers else None

    def _newest(self) -> Mapping[Source, int]:
        """Return the end of each source's newest window of these: levels of others do not count."""
        newest: dict[Source, int] = {}
        for window in self.rows:
            if window.is_kept:
                newest[window.source] = max(newest.get(window.source, 0), window.end_ms)
        return newest

    def reading(self) -> Reading | None:
        """Combine the rows of the sources; None if no window of any is kept."""
        newest = self._newest()
        rates, added = len(self.table.rates), self.table.added
        result: Reading | None = None
        for window in filter(attrgetter("is_kept"), self.rows):
            seconds, (numbers, errors, until_ms) = window.source.seconds, self.row(window)
            divided = [None if number is None else number / seconds for number in numbers[:rates]]
            levels = numbers[added:] if newest[window.source] == window.end_ms else (None,) * (len(numbers) - added)
            reading = Reading((*divided, *numbers[rates:added], *levels), errors, until_ms)
            result = reading if result is None else self.table.combine(result, reading)
        return result


class RecentWindows:
    """Windows of all sources; ``left_out`` counts entries by reason since the start of the process."""

    def __init__(self, most_bytes: int = MAX_RECENT_BYTES) -> None:
        self.left_out: Counter[str] = Counter()
        self._shares = Shares(most_bytes)
        self._sources: dict[str, Source] = {}
        self._items: dict[Table, dict[Key, Item]] = {TRAFFIC_TABLE: {}, GROUP_TABLE: {}}
        self._clients: Counter[Key] = Counter()
        self._dropped: deque[Window] = deque()
        self._recently_left_out: Counter[tuple[str, int]] = Counter()

    @property
    def bytes(self) -> int:
        """The estimated memory of everything that is kept."""
        return self._shares.taken

    def items(self, table: Table) -> list[Item]:
        """Return the items of now; their rows go on changing."""
        return list(self._items[table].values())

    @property
    def clients(self) -> Collection[Key]:
        """The clients that have traffic, by `CLIENT_KEY`."""
        return self._clients.keys()

    def recently_left_out(self, now_ms: int) -> dict[str, int]:
        """Count entries of the last windows that are in no item, by reason."""
        counts: Counter[str] = Counter()
        for (reason, until_ms), count in self._recently_left_out.items():
            if until_ms > now_ms:
                counts[reason] += count
        return counts

    def add(self, head: EventsHead, window: WindowTotals, now_ms: int) -> None:
        """Add a part of a window of the head's source, which must not have been added before."""
        origin = origin_of(head)
        rows = [
            *((TRAFFIC_TABLE, *row) for row in traffic_rows(origin, window)),
            *((GROUP_TABLE, *row) for row in group_rows(origin, window)),
        ]
        self._release(2 * len(rows))
        if not rows:
            return
        start_ms, end_ms = window.start_ms, window.end_ms
        if start_ms is None or end_ms is None or not 0 < end_ms - start_ms <= _LONGEST_MS:
            self._leave_out("no_length", len(rows), now_ms + _SHOWN_MS)
            return
        # A clock that is ahead shows nothing for longer.
        of_three_ms = min(now_ms, end_ms) + MAX_WINDOWS * (end_ms - start_ms)
        if of_three_ms + _SHOWN_MS <= now_ms or self._is_before_the_last(head.source, end_ms):
            return
        kept = self._window(head, start_ms, end_ms, of_three_ms + _SHOWN_MS)
        left_out = len(rows) if kept is None else sum(not self._put(kept, *row) for row in rows)
        if left_out:
            self._leave_out("no_room", left_out, of_three_ms)

    def _is_before_the_last(self, name: str, end_ms: int) -> bool:
        source = self._sources.get(name)
        return source is not None and len(source.windows) == MAX_WINDOWS and end_ms < min(source.windows)

    def _window(self, head: EventsHead, start_ms: int, end_ms: int, until_ms: int) -> Window | None:
        """Find or begin a window; None if there is no room for it."""
        source = self._sources.get(head.source) or Source(origin_of(head).k8s_namespace)
        known = source.windows.get(end_ms)
        if known is not None:
            return known
        if len(source.windows) == MAX_WINDOWS:
            self._drop(source.windows[min(source.windows)])
        holder = holder_of_windows(head)
        if not self._shares.has_room(holder, _WINDOW_BYTES):
            return None
        self._shares.take(holder, _WINDOW_BYTES)
        window = source.windows[end_ms] = Window(source, holder, start_ms, end_ms, until_ms)
        source.measure()
        self._sources[head.source] = source
        return window

    def _put(self, window: Window, table: Table, key: Key, row: Reading) -> bool:
        """Add a row if there is room for it."""
        items = self._items[table]
        item = items.get(key) or Item(table, key)
        is_new = window not in item.rows
        if is_new:
            added = _row_bytes(row.errors) + (0 if item.rows else _item_bytes(item))
        else:
            before = item.row(window)
            row = table.combine(before, row)
            added = _row_bytes(row.errors) - _row_bytes(before.errors)
        if added and (len(item.rows) >= MAX_ROWS or not self._shares.has_room(window.holder, added)):
            return False
        self._shares.take(window.holder, added)
        if table is TRAFFIC_TABLE and not item.rows:
            self._clients[client_of(key)] += 1
        if is_new:
            window.items.append(item)
        item.rows[window] = table.pack(row.numbers)
        if row.errors:
            window.errors[item] = row.errors
        items[key] = item
        return True

    def _leave_out(self, reason: str, count: int, until_ms: int) -> None:
        self.left_out[reason] += count
        # A second is exact enough, and bounds how many counts there are.
        self._recently_left_out[reason, until_ms // 1_000 * 1_000] += count

    def expire(self, now_ms: int) -> None:
        """Drop windows that are older than they are shown; ``now_ms`` is in milliseconds since 1970."""
        for name, source in list(self._sources.items()):
            for window in [window for window in source.windows.values() if window.until_ms <= now_ms]:
                self._drop(window)
            if not source.windows:
                del self._sources[name]
        for key in [key for key in self._recently_left_out if key[1] <= now_ms]:
            del self._recently_left_out[key]
        self._release(_RELEASED_AT_ONCE)

    def clock_was_set(self, step_ms: int) -> None:
        """Show windows for as long as they would have been shown."""
        for source in self._sources.values():
            for window in source.windows.values():
                window.until_ms += step_ms

    def _drop(self, window: Window) -> None:
        """Have a window in no answer any more; its rows are released in pieces."""
        del window.source.windows[window.end_ms]
        window.source.measure()
        window.is_kept = False
        self._dropped.append(window)

    def _release(self, most: int) -> None:
        while self._dropped and most > 0:
            window = self._dropped[0]
            released = window.items[-most:]
            del window.items[-most:]
            most -= len(released) + 1
            for item in released:
                self._remove(item, window)
            if not window.items:
                self._shares.take(window.holder, -_WINDOW_BYTES)
                self._dropped.popleft()

    def _remove(self, item: Item, window: Window) -> None:
        # The holder of the oldest row has the item counted in its share.
        before = next(iter(item.rows)).holder
        self._shares.take(window.holder, -_row_bytes(window.errors.pop(item, _NO_ERRORS)))
        del item.rows[window]
        if not item.rows:
            self._shares.take(before, -_item_bytes(item))
            del self._items[item.table][item.key]
            if item.table is TRAFFIC_TABLE:
                self._forget_traffic(client_of(item.key))
        elif (after := next(iter(item.rows)).holder) != before:
            self._shares.move(before, after, _item_bytes(item))

    def _forget_traffic(self, client: Key) -> None:
        self._clients[client] -= 1
        if not self._clients[client]:
            del self._clients[client]


def holder_of_windows(head: EventsHead) -> str:
    """Return whose share the windows of an observer count for: of its pod's namespace, or of its ObserverDeployment."""
    namespace = head.source.partition("/")[0]
    if head.observer.mode == "sidecar":
        return f"pod {namespace}"
    return f"observer {head.observer.namespace}/{head.observer.name}"


def _item_bytes(item: Item) -> int:
    # Where its first row came from is of one text for all rows of a request.
    texts = (text for name, text in zip(item.table.key, item.key, strict=True) if text and name not in Origin._fields)
    return _ITEM_BYTES + sum(map(sys.getsizeof, texts))


def _row_bytes(errors: Mapping[str, int]) -> int:
    return _ROW_BYTES + (_ERRORS_BYTES + _ERROR_BYTES * len(errors) if errors else 0)
