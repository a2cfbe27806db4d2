"""The client instances this replica owns, bounded, and when each is taken for gone."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from kwitness.collector.core import Applied
from kwitness.collector.events import Event

MAX_CLIENTS: Final = 50_000
"""Instances remembered per replica, the least recently heard from forgotten first; a broker keeps at most 16,384."""
DEFAULT_INTERVAL_MS: Final = 300_000
"""Kafka's default push interval, assumed until an interval was told or seen."""
LEAST_LIFE_MS: Final = 30_000
"""A live client stays at least this long, so that a short interval does not make series flicker between scrapes."""
ENDED_LIFE_MS: Final = 300_000
"""A client that said goodbye stays at least this long, so that its last push is scraped."""
_SLACK: Final = 0.5
"""In intervals: after a change of subscription the next push comes after 0.5 to 1.5 intervals."""
_GAPS: Final = 5
_MAX_METRICS: Final = 5_000


class ClientRecord:
    """One client instance: identity as text, times in milliseconds since 1970."""

    __slots__ = (
        "first_seen_ms",
        "gaps_ms",
        "identity",
        "last_push_ms",
        "metrics",
        "terminated",
        "told_interval_ms",
    )

    def __init__(self, identity: Mapping[str, str], now_ms: int) -> None:
        self.identity = dict(identity)
        self.first_seen_ms = now_ms
        self.last_push_ms = now_ms
        self.told_interval_ms: int | None = None
        self.gaps_ms: tuple[int, ...] = ()
        self.metrics: frozenset[str] = frozenset()
        self.terminated = False

    @property
    def interval_ms(self) -> int | None:
        """The push interval as the broker said it, or the median of the last five gaps."""
        if self.told_interval_ms:
            return self.told_interval_ms
        return int(statistics.median(self.gaps_ms)) if self.gaps_ms else None

    def deadline_ms(self, missed: int) -> int:
        """Return when the client is taken for gone if nothing more comes; ``missed`` is the number of missed pushes."""
        interval = self.interval_ms or DEFAULT_INTERVAL_MS
        if self.terminated:
            return self.last_push_ms + max(3 * interval, ENDED_LIFE_MS)
        return self.last_push_ms + max(int((missed + _SLACK) * interval), LEAST_LIFE_MS)


class Clients:
    """All records, least recently heard from first."""

    def __init__(self) -> None:
        self._records: dict[str, ClientRecord] = {}
        self._metric_sets: dict[frozenset[str], frozenset[str]] = {}
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._records)

    def items(self) -> Iterable[tuple[str, ClientRecord]]:
        """Return keys and records."""
        return self._records.items()

    def records(self) -> Iterable[ClientRecord]:
        """Return the records."""
        return self._records.values()

    def record(self, event: Event, applied: Applied, now_ms: int) -> str | None:
        """Note a push; returns the key of a client that was evicted for it."""
        key = event.client
        record = self._records.pop(key, None)
        if record is None:
            record = ClientRecord(event.identity, now_ms)
        else:
            gap = now_ms - record.last_push_ms
            record.gaps_ms = (*record.gaps_ms, gap)[-_GAPS:]
            record.identity.update(event.identity)
        record.last_push_ms = now_ms
        record.told_interval_ms = event.push_interval_ms or record.told_interval_ms
        record.terminated = event.terminating
        if not record.metrics.issuperset(applied.metrics):
            self._add_metrics(record, applied.metrics)
        self._records[key] = record
        if len(self._records) > MAX_CLIENTS:
            oldest = next(iter(self._records))
            del self._records[oldest]
            self.evicted += 1
            return oldest
        return None

    def _add_metrics(self, record: ClientRecord, names: tuple[str, ...]) -> None:
        union = record.metrics.union(names[:_MAX_METRICS])
        if len(union) <= _MAX_METRICS:
            # Most clients send the same metrics: one set for all of them.
            if len(self._metric_sets) > MAX_CLIENTS:
                self._metric_sets.clear()
            record.metrics = self._metric_sets.setdefault(union, union)

    def expire(self, now_ms: int, missed: int) -> list[str]:
        """Forget those past their deadline and return their keys."""
        gone = [key for key, record in self._records.items() if record.deadline_ms(missed) <= now_ms]
        for key in gone:
            del self._records[key]
        return gone

    def forget(self, keys: Iterable[str]) -> None:
        """Forget clients that another replica owns now."""
        for key in keys:
            self._records.pop(key, None)

    def dump(self) -> Iterator[list[object]]:
        """Yield rows for the state file."""
        sets: dict[frozenset[str], int] = {}
        for key, record in self._records.items():
            if record.metrics not in sets:
                sets[record.metrics] = len(sets)
                yield ["metrics", sorted(record.metrics)]
            yield [
                "record",
                key,
                record.identity,
                record.first_seen_ms,
                record.last_push_ms,
                record.told_interval_ms,
                list(record.gaps_ms),
                sets[record.metrics],
                record.terminated,
            ]

    def load(self, rows: Iterable[list[Any]]) -> None:
        """Take rows back; raises ValueError, TypeError or IndexError if they are something else."""
        sets: list[frozenset[str]] = []
        for row in rows:
            if row[0] == "metrics":
                sets.append(frozenset(str(name) for name in row[1]))
                continue
            _, key, identity, first, last, told, gaps, metrics, terminated = row
            record = ClientRecord({str(name): str(value) for name, value in dict(identity).items()}, int(first))
            record.last_push_ms = int(last)
            record.told_interval_ms = None if told is None else int(told)
            record.gaps_ms = tuple(int(gap) for gap in gaps)[-_GAPS:]
            record.metrics = self._metric_sets.setdefault(sets[metrics], sets[metrics])
            record.terminated = bool(terminated)
            self._records[str(key)] = record
