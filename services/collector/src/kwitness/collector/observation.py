"""Takes observers' events, and interceptors': totals go to Prometheus and windows, and heartbeats are remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from kwitness.collector.connection_ends import ends_of
from kwitness.collector.event_lines import EventBatch
from kwitness.collector.event_numbers import SourceNumbers
from kwitness.collector.header_counts import HeaderCounts
from kwitness.collector.interception import Interception
from kwitness.collector.inventory.connection_registry import ConnectionRegistry
from kwitness.collector.inventory.directives import DirectiveTable
from kwitness.collector.inventory.observers import Observers
from kwitness.collector.inventory.recent_rewinds import RecentRewinds
from kwitness.collector.inventory.recent_windows import RecentWindows
from kwitness.collector.origin import Sender, origin_of
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.collector.prometheus.observed import TIME_COUNTS, ObservedTotals, parts_of
from kwitness.collector.taking import EventTaking
from kwitness.contracts.collector_config import CollectorConfig
from kwitness.contracts.envelopes import ClusterSubscriptions, EventsAnswer, EventsHead, InterceptorsHead, Rejection
from kwitness.contracts.topics import CONNECTIONS, HEADERS, REQUESTS, SEALS, TRAFFIC

_TOPICS: Final = (TRAFFIC, CONNECTIONS, REQUESTS, HEADERS, SEALS)
_ENTRIES_PER_STEP: Final = 250
_SHARE: Final = 2
"""Observers' totals may have one series for two of clients' own telemetry, and so may those of interceptors."""
_SHARE_OF_HEADERS: Final = 4
"""Keys of headers may have one for four."""


class Observation:
    """Everything that this replica knows from observers. It is forgotten with the process (docs/decisions/0043).

    ``interception`` is what it knows from interceptors, ``headers`` what it knows of record headers from both;
    ``subscriptions`` says what observers that answer clients' telemetry are told, ``other_namespaces`` where resources
    may act beside their own namespace.
    """

    def __init__(
        self, pipeline: Pipeline, config: CollectorConfig, subscriptions: Callable[[], ClusterSubscriptions]
    ) -> None:
        self._pipeline = pipeline
        self.subscriptions = subscriptions
        self._taking = EventTaking(pipeline)
        self.observers = Observers()
        self.registry = ConnectionRegistry()
        self.directives = DirectiveTable()
        self.totals = ObservedTotals(0)
        self.windows = RecentWindows()
        self.rewinds = RecentRewinds()
        self.headers = HeaderCounts()
        self.interception = Interception(self._taking, self.headers)
        self.configure(config)

    def configure(self, config: CollectorConfig) -> None:
        """Take a new configuration."""
        self._taking.collector = f"{config.namespace}/{config.name}"
        self.other_namespaces = config.ingest.other_namespaces
        self.totals.max_series = self.interception.totals.max_series = config.prometheus.max_series // _SHARE
        self.interception.totals.label_by(config.prometheus.interceptor_attributes)
        self.headers.series.max_series = config.prometheus.max_series // _SHARE_OF_HEADERS

    def expire(self, now: int) -> None:
        """Let observers and series go that were not heard of for long; ``now`` in milliseconds since 1970."""
        self.observers.expire(now)
        self.registry.expire(now)
        self.totals.expire(now)
        self.windows.expire(now)
        self.rewinds.expire(now)
        self.headers.expire(now)
        self.interception.expire(now)

    def clock_was_set(self, step_ms: int) -> None:
        """Let new counters stay as new as they are."""
        for series in (self.totals, self.headers.series, self.interception.totals):
            series.clock_was_set(step_ms)
        self.windows.clock_was_set(step_ms)
        self.rewinds.clock_was_set(step_ms)

    async def accept(self, batch: EventBatch, sender: Sender) -> EventsAnswer:
        """Take a request of the sender's own source, and say of each number what became of it."""
        head = batch.head
        if isinstance(head, InterceptorsHead):
            return await self.interception.accept(head, batch, sender)
        self._hear(head)
        taken = await self._taking.take(batch, sender, _TOPICS, partial(self._add_totals, head))
        await self._count_ends(head, batch, taken.accepted)
        observer, state = head.observer, head.state
        directives = self.directives.for_pod(
            sender.namespace, observer.namespace, observer.name, settings=state.settings, suspended=state.suspended
        )
        return self._taking.answer(
            taken,
            directives,
            wants_connections=self.registry.is_wanted(now_ms()),
            subscriptions=self.subscriptions().hash if state.telemetry is not None else None,
        )

    async def _count_ends(self, head: EventsHead, batch: EventBatch, accepted: set[int]) -> None:
        origin = origin_of(head)
        rows = (row for seq, row in batch.rows.items() if seq in accepted)
        for number, end in enumerate(ends_of(rows), 1):
            if end is not None:
                self.totals.add_end(origin, end, now_ms())
            if number % _ENTRIES_PER_STEP == 0:
                await asyncio.sleep(0)

    def _hear(self, head: EventsHead) -> None:
        now = now_ms()
        if not self.observers.record(head, now):
            return
        self.registry.record(head, now)
        for one in head.connections:
            if one.connections and one.client_software_name:
                key = (head.cluster_id, one.client_software_name, one.client_software_version)
                self._pipeline.state.brokers.software.record(key, now, by_broker=False)

    async def _add_totals(
        self, head: EventsHead, numbers: SourceNumbers, fresh: frozenset[int], rejected: list[Rejection]
    ) -> set[int]:
        now, origin = now_ms(), origin_of(head)
        taken: set[int] = set()
        for window in head.totals:
            if window.seq not in fresh:
                continue
            if any(len(times.counts) != TIME_COUNTS for times in window.times):
                message = f"times must have {TIME_COUNTS} counts, as contracts/vectors/response_time_bounds.json says"
                rejected.append(Rejection(seq=window.seq, reason="UnknownBounds", message=message))
                continue
            for part in parts_of(window, _ENTRIES_PER_STEP):
                self.totals.add(origin, part, now, head.source)
                await asyncio.sleep(0)  # others' requests and scrapes wait for one part, not for all of it
                self.windows.add(head, part, now)
                self.rewinds.add(head, part, now)
                self.headers.add(origin, "observer", part.headers, now)
                await asyncio.sleep(0)
            numbers.take((window.seq,))
            taken.add(window.seq)
        return taken
