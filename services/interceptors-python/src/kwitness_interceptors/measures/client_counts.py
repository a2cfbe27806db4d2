"""What one client did, by window and topic."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple, Optional

from kwitness_interceptors.hook_counts import HookSum

from .header_counts import HeaderWindow
from .offset_ranges import OffsetRanges
from .sketch import Sketch

__all__ = [
    "ClientCounts",
    "PartitionCounts",
    "TopicCounts",
    "Window",
    "first_open_window",
    "now_ms",
]

_MOST_WINDOWS = 64
"""Reached only while nothing takes windows out."""

Counts = dict[str, int]


class PartitionCounts:
    """What happened in one partition."""

    __slots__ = ("acknowledged", "committed_offset", "consumed", "offsets")

    def __init__(self) -> None:
        self.acknowledged = self.consumed = 0
        self.committed_offset: Optional[int] = None
        self.offsets = OffsetRanges()


class TopicCounts:
    """What happened in one topic."""

    __slots__ = (
        "acknowledged",
        "acknowledgement_time",
        "anomalies",
        "commit_failures",
        "commits",
        "consumed",
        "end_to_end",
        "failures",
        "key_bytes",
        "left_out",
        "partitions",
        "sent",
        "sizes",
        "value_bytes",
    )

    def __init__(self) -> None:
        self.sent = self.acknowledged = self.consumed = self.commits = 0
        self.key_bytes = self.value_bytes = 0
        self.failures: Counts = defaultdict(int)
        self.commit_failures: Counts = defaultdict(int)
        self.anomalies: Counts = defaultdict(int)
        self.sizes, self.acknowledgement_time, self.end_to_end = Sketch(), Sketch(), Sketch()
        self.partitions: dict[int, PartitionCounts] = {}
        self.left_out: set[int] = set()

    def partition(self, number: int, most: int) -> Optional[PartitionCounts]:
        """Return the counts of a partition; None where `most` others have taken all the room."""
        found = self.partitions.get(number)
        if found is None and number >= 0:
            if len(self.partitions) < most:
                found = self.partitions[number] = PartitionCounts()
            elif len(self.left_out) < most:
                self.left_out.add(number)
        return found


class Window(NamedTuple):
    """A closed window, in milliseconds since 1970; None is the row of topics that found no room.

    `headers` is None where none were looked at.
    """

    start_ms: int
    end_ms: int
    topics: Mapping[Optional[str], TopicCounts]
    hooks: Mapping[tuple[str, str], HookSum]
    headers: Optional[HeaderWindow] = None


class ClientCounts:
    """Counts of one client; its methods are called from all threads.

    Parameters
    ----------
    number
        Of the client within its process, from 1.
    side
        ``producer`` or ``consumer``.
    client_id, group_id
        As the application configured them; `group_id` is None of a producer.
    window_ms, most_topics, most_partitions
        Length of windows, and bounds of the counts within one.
    """

    def __init__(
        self,
        number: int,
        side: str,
        client_id: str,
        group_id: Optional[str],
        *,
        window_ms: int,
        most_topics: int,
        most_partitions: int,
    ) -> None:
        self.number = number
        self.side = side
        self.client_id = client_id
        self.group_id = group_id
        self.most_partitions = most_partitions
        # A signal's handler may use the client on the thread that holds it.
        self.lock = threading.RLock()
        self.closed = False
        self.deaf = False
        self._window_ms = window_ms
        self._most_topics = most_topics
        self._windows: dict[int, dict[Optional[str], TopicCounts]] = {}
        self._headers: dict[int, HeaderWindow] = {}
        self._oldest = 0
        self._hooks: dict[tuple[str, str], HookSum] = {}
        self._told_hooks_of = 0
        # Of the last record; the next one is likely to be of the same window and topic.
        self._last_topic: Optional[str] = None
        self._last_from = self._last_until = 0
        self._last = TopicCounts()

    def topic(self, topic: Optional[str], at_ms: float) -> TopicCounts:
        """Return the counts of a topic in the window of this time; `lock` must be held.

        Where that was taken out, since the lock was waited for or the clock was set back, they are in the oldest one
        that was not; while nobody takes windows out, the newest of a few has what is later.
        """
        if topic == self._last_topic and self._last_from <= at_ms < self._last_until:
            return self._last
        start = max(int(at_ms) // self._window_ms * self._window_ms, self._oldest)
        topics = self._windows.get(start)
        if topics is None and len(self._windows) >= _MOST_WINDOWS:
            topics = self._windows[max(self._windows)]
        if topics is None:
            topics = self._windows[start] = {}
        found = topics.get(topic)
        if found is None:
            room = len(topics) - (None in topics) < self._most_topics
            found = topics.setdefault(topic if room else None, TopicCounts())
        self._last_topic, self._last_from, self._last_until, self._last = topic, start, start + self._window_ms, found
        return found

    def headers(self, at_ms: float) -> HeaderWindow:
        """Return the headers of the window of this time, as `topic` does; `lock` must be held."""
        start = max(int(at_ms) // self._window_ms * self._window_ms, self._oldest)
        if start not in self._headers and len(self._headers) >= _MOST_WINDOWS:
            start = max(self._headers)
        return self._headers.setdefault(start, HeaderWindow())

    def finished(self, now_ms: float, hooks: Mapping[tuple[str, str], HookSum]) -> list[Window]:
        """Take out the windows that have ended, of a closed client all; oldest first.

        `hooks` are the calls of the profile's interceptors until now: what is new is in the last of the windows.
        """
        first_open = first_open_window(now_ms, self._window_ms)
        with self.lock:
            known = {*self._windows, *self._headers}
            starts = sorted(start for start in known if self.closed or start < first_open)
            taken = [(start, self._windows.pop(start, {})) for start in starts]
            headers = {start: self._headers.pop(start) for start in starts if start in self._headers}
            self._oldest = max(self._oldest, first_open, *(start + self._window_ms for start in starts))
            self._forget_last()
        new = {key: _since(value, self._hooks.get(key)) for key, value in hooks.items()}
        before = first_open - self._window_ms
        if not taken and any(one.calls for one in new.values()) and (self.closed or before > self._told_hooks_of):
            # Classes of one's own may be all that there is.
            taken = [(before, {})]
        if not taken:
            return []
        self._hooks = dict(hooks)
        last = self._told_hooks_of = taken[-1][0]
        return [
            Window(start, start + self._window_ms, topics, new if start == last else {}, headers.get(start))
            for start, topics in taken
        ]

    def leave_to_parent(self) -> None:
        """Count nothing any more, in a process that was forked: the client is its parent's."""
        self.lock = threading.RLock()
        self.deaf = True
        self._windows.clear()
        self._headers.clear()
        self._forget_last()

    def _forget_last(self) -> None:
        """Look for the place of the next record: that of the last one may not be there any more."""
        self._last_from = self._last_until = 0


def first_open_window(now_ms: float, window_ms: int) -> int:
    """Return the start of the window of this time, in milliseconds since 1970: those before it have ended."""
    return int(now_ms) // window_ms * window_ms


def _since(now: HookSum, before: Optional[HookSum]) -> HookSum:
    if before is None:
        return now
    return HookSum(*(max(0, value - then) for value, then in zip(now, before)))


def now_ms() -> float:
    """Return the time in milliseconds since 1970."""
    return time.time() * 1000
