"""What becomes of observers' events: each number counts once, rows go to their topics, totals to Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from kwitness.collector.event_lines import EventBatch, trouble_with
from kwitness.collector.event_numbers import EventNumbers, SourceNumbers
from kwitness.collector.failures import UnavailableError
from kwitness.collector.inventory.connection_registry import ConnectionRegistry
from kwitness.collector.inventory.directives import DirectiveTable
from kwitness.collector.inventory.observers import Observers
from kwitness.collector.ledger import EVENTS, EVENTS_TOPIC
from kwitness.collector.origin import believed, origin_of
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.collector.prometheus.observed import TIME_COUNTS, ObservedTotals, parts_of
from kwitness.collector.sinks.topic_writer import Record
from kwitness.contracts import record_headers
from kwitness.contracts.collector_config import CollectorConfig, CollectorTopics
from kwitness.contracts.envelopes import EventRow, EventsAnswer, EventsHead, Rejection, ranges_of
from kwitness.contracts.observers import ReportedBy
from kwitness.contracts.topics import (
    CONNECTIONS,
    CONNECTIONS_SCHEMA,
    REQUESTS,
    REQUESTS_SCHEMA,
    SEALS,
    SEALS_SCHEMA,
    TRAFFIC,
    TRAFFIC_SCHEMA,
)

_SCHEMAS: Final = {
    TRAFFIC: TRAFFIC_SCHEMA,
    CONNECTIONS: CONNECTIONS_SCHEMA,
    REQUESTS: REQUESTS_SCHEMA,
    SEALS: SEALS_SCHEMA,
}
_RETRY_AFTER_MS: Final = 1_000
_ENTRIES_PER_STEP: Final = 250
_SHARE: Final = 2
"""Observers' totals may have one series for two of clients' own telemetry."""


class Sender(NamedTuple):
    """Whose token it was: ``source`` is <namespace>/<pod>, ``reported_by`` what its rows are marked with."""

    source: str
    cluster_id: str
    reported_by: ReportedBy

    @property
    def namespace(self) -> str:
        """The pod's namespace."""
        return self.source.partition("/")[0]

    @property
    def pod(self) -> str:
        """The pod's name."""
        return self.source.partition("/")[2]


class Observation:
    """Everything that this replica knows from observers. It is forgotten with the process (docs/decisions/0043)."""

    def __init__(self, pipeline: Pipeline, config: CollectorConfig) -> None:
        self._pipeline = pipeline
        self._numbers = EventNumbers()
        self.observers = Observers()
        self.registry = ConnectionRegistry()
        self.directives = DirectiveTable()
        self.totals = ObservedTotals(0)
        self.configure(config)

    def configure(self, config: CollectorConfig) -> None:
        """Take a new configuration."""
        self._collector = f"{config.namespace}/{config.name}"
        self.totals.max_series = config.prometheus.max_series // _SHARE

    def expire(self, now: int) -> None:
        """Let observers and series go that were not heard of for long; ``now`` in milliseconds since 1970."""
        self.observers.expire(now)
        self.registry.expire(now)
        self.totals.expire(now)

    async def accept(self, batch: EventBatch, sender: Sender) -> EventsAnswer:
        """Take a request of the sender's own source, and say of each number what became of it."""
        head = batch.head
        self._hear(head)
        hop = self._pipeline.ledger.hop(EVENTS)
        asked = batch.numbers()
        hop.accept(len(asked))
        numbers = self._numbers.of(head.source, head.epoch)
        numbers.settle(head.settled)
        claim = numbers.claim(asked)
        rejected: list[Rejection] = []
        try:
            # They are counted from here on, whatever becomes of the rows: totals never count twice.
            taken = await self._add_totals(head, numbers, claim.fresh, rejected)
            rows = dict(self._possible(batch, claim.fresh, rejected))
            try:
                rejected += await self._write(head, sender, rows)
                taken |= rows.keys() - {one.seq for one in rejected}
            except UnavailableError:
                pass  # what is not in the topic is answered `later`
            numbers.take(taken)
        except BaseException:
            hop.drop("returned", len(asked))
            raise
        finally:
            numbers.release(claim.fresh)
        later = (claim.fresh | claim.later) - taken - {one.seq for one in rejected}
        hop.deliver(len(taken))
        hop.drop("duplicate", len(claim.known))
        hop.drop("rejected", len(rejected))
        hop.drop("returned", len(later))
        return EventsAnswer(
            collector=self._collector,
            replica=self._pipeline.replicas.own,
            accepted=ranges_of(taken),
            duplicates=ranges_of(claim.known),
            later=ranges_of(later),
            rejected=tuple(sorted(rejected, key=lambda one: one.seq)),
            retry_after_ms=_RETRY_AFTER_MS if later else 0,
            directives=self.directives.for_observer(head),
            wants_connections=self.registry.is_wanted(now_ms()),
        )

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
                self.totals.add(origin, part, now)
                await asyncio.sleep(0)  # others' requests and scrapes wait for one part, not for all of it
            numbers.take((window.seq,))
            taken.add(window.seq)
        return taken

    def _possible(
        self, batch: EventBatch, fresh: frozenset[int], rejected: list[Rejection]
    ) -> Iterator[tuple[int, tuple[EventRow, bytes]]]:
        for seq, (row, line) in batch.rows.items():
            if seq not in fresh:
                continue
            trouble = trouble_with(line)
            if row.topic not in _SCHEMAS:
                message = f"this collector writes {', '.join(_SCHEMAS)}, not {row.topic}"
                rejected.append(Rejection(seq=seq, reason="UnknownTopic", message=message))
            elif trouble is not None:
                rejected.append(Rejection(seq=seq, reason="MalformedRow", message=trouble))
            else:
                yield seq, (row, line)

    async def _write(
        self, head: EventsHead, sender: Sender, rows: Mapping[int, tuple[EventRow, bytes]]
    ) -> list[Rejection]:
        writer, topics = self._pipeline.writer, self._pipeline.topics
        if writer is None or topics is None or not rows:
            return []
        hop = self._pipeline.ledger.hop(EVENTS_TOPIC)
        hop.accept(len(rows))
        records = [_record(head, sender, row, line, topics) for row, line in rows.values()]
        try:
            impossible = await writer.write(records)
        except BaseException:
            hop.drop("returned", len(rows))
            raise
        hop.deliver(len(rows) - len(impossible))
        hop.drop("too_large", len(impossible))
        numbers = list(rows)
        return [
            Rejection(seq=numbers[index], reason="TooLarge", message=f"the topic refuses the row: {reason}")
            for index, reason in impossible.items()
        ]


def _record(head: EventsHead, sender: Sender, row: EventRow, line: bytes, topics: CollectorTopics) -> Record:
    headers = {
        record_headers.SCHEMA: _SCHEMAS[row.topic],
        record_headers.EVENT_SOURCE: head.source,
        record_headers.EVENT_EPOCH: str(head.epoch),
        record_headers.EVENT_SEQ: str(row.seq),
        record_headers.REPORTED_BY: sender.reported_by,
        "cluster_id": sender.cluster_id,
        "k8s_namespace": sender.namespace,
        "k8s_pod": sender.pod,
    }
    workload = believed(head.workload, sender.pod)
    if workload is not None:
        headers["k8s_workload"] = workload
    names = {
        TRAFFIC: topics.traffic,
        CONNECTIONS: topics.connections,
        REQUESTS: topics.requests,
        SEALS: topics.seals,
    }
    encoded: list[tuple[str, str | bytes | None]] = [(key, value.encode()) for key, value in headers.items()]
    return Record(names[row.topic], row.key.encode("utf-8", "replace"), line, encoded)
