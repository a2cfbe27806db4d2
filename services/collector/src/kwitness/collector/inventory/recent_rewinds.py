"""Keeps for an hour that commits of a group went back: windows of observers leave answers after minutes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.collector.fairness import Shares
from kwitness.collector.inventory.recent_windows import holder_of_windows
from kwitness.collector.inventory.window_tables import MOST, Numbers
from kwitness.collector.origin import origin_of
from kwitness.collector.prometheus.budget import Key, bounded
from kwitness.contracts.envelopes import EventsHead, WindowTotals

__all__ = ["KEPT_MS", "MAX_REWINDS", "RecentRewinds"]

KEPT_MS: Final = 3_600_000
"""How long one is kept after the window that it is of."""
_SWEEP_EVERY_MS: Final = 60_000
MAX_REWINDS: Final = 20_000
"""Groups by topic, and by the namespace of the observers that saw one."""


@dataclass(slots=True)
class _Rewind:
    holder: str
    at_ms: int
    records: int


class RecentRewinds:
    """The most records and the last time of each group's rewinds in a topic, by namespace of the observers' pods.

    The namespace is empty where the observer is not in the client's pod.
    """

    def __init__(self, most: int = MAX_REWINDS) -> None:
        self._shares = Shares(most)
        self._rewinds: dict[Key, dict[str, _Rewind]] = {}
        self._swept_ms = 0

    def __len__(self) -> int:
        return self._shares.taken

    def add(self, head: EventsHead, window: WindowTotals, now_ms: int) -> None:
        """Add those of a window; a topic of which the observer knows the id alone cannot be named."""
        at_ms = min(now_ms, window.end_ms or now_ms)
        if at_ms + KEPT_MS <= now_ms:
            return
        origin, holder = origin_of(head), holder_of_windows(head)
        for back in window.commits_back:
            if back.topic is None:
                continue
            key = (origin.cluster_id, *bounded((back.group_id,)), back.topic)
            known = self._rewinds.get(key, {}).get(origin.k8s_namespace)
            if known is not None:
                known.at_ms, known.records = max(known.at_ms, at_ms), max(known.records, back.most_records)
            elif self._shares.has_room(holder):
                self._shares.take(holder)
                rewind = _Rewind(holder, at_ms, back.most_records)
                self._rewinds.setdefault(key, {})[origin.k8s_namespace] = rewind

    def numbers(self, key: Key, shows: Callable[[str], bool]) -> Numbers:
        """Return the most records and the last time, of a group and topic; None for each where nothing went back.

        Parameters
        ----------
        shows
            Says of a namespace whether what its observers saw counts.
        """
        of_key: Mapping[str, _Rewind] = self._rewinds.get(key, {})
        seen = [rewind for namespace, rewind in of_key.items() if shows(namespace)]
        if not seen:
            return None, None
        return min(max(rewind.records for rewind in seen), MOST), max(rewind.at_ms for rewind in seen)

    def expire(self, now_ms: int) -> None:
        """Forget those of more than an hour ago, once a minute; ``now_ms`` is in milliseconds since 1970."""
        if now_ms < self._swept_ms + _SWEEP_EVERY_MS:
            return
        self._swept_ms = now_ms
        for key, of_key in list(self._rewinds.items()):
            for namespace, rewind in list(of_key.items()):
                if rewind.at_ms + KEPT_MS <= now_ms:
                    self._shares.take(rewind.holder, -1)
                    del of_key[namespace]
            if not of_key:
                del self._rewinds[key]

    def clock_was_set(self, step_ms: int) -> None:
        """Keep each for as long as it would have been kept."""
        self._swept_ms += step_ms
        for of_key in self._rewinds.values():
            for rewind in of_key.values():
                rewind.at_ms += step_ms
