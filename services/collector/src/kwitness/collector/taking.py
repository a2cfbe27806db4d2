"""What observers' and interceptors' events have in common: each number counts once, and rows go to their topics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

from kwitness.collector.event_lines import EventBatch, Head, trouble_with
from kwitness.collector.event_numbers import EventNumbers, SourceNumbers
from kwitness.collector.failures import UnavailableError
from kwitness.collector.ledger import EVENTS, EVENTS_TOPIC
from kwitness.collector.origin import Sender, believed, origin_of
from kwitness.collector.pipeline import Pipeline
from kwitness.collector.row_places import place_problem, placed
from kwitness.collector.sinks.topic_writer import Record
from kwitness.collector.turns import Turns
from kwitness.contracts import record_headers
from kwitness.contracts.collector_config import CollectorTopics
from kwitness.contracts.envelopes import Directives, EventRow, EventsAnswer, Rejection, ranges_of
from kwitness.contracts.topics import SCHEMAS

_RETRY_AFTER_MS: Final = 1_000

AddTotals = Callable[[SourceNumbers, frozenset[int], list[Rejection]], Awaitable[set[int]]]
"""Adds the totals whose numbers are fresh, takes these numbers, and returns them; refused ones are put in the list."""


class Taken(NamedTuple):
    """What became of the numbers of a request."""

    accepted: set[int]
    duplicates: frozenset[int]
    later: frozenset[int]
    rejected: list[Rejection]


class EventTaking:
    """Takes the requests of all sources; their numbers are forgotten with the process (docs/decisions/0043)."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.collector = ""
        self._pipeline = pipeline
        self._numbers = EventNumbers()

    async def take(self, batch: EventBatch, sender: Sender, topics: Sequence[str], add_totals: AddTotals) -> Taken:
        """Take a request of the sender's own source; ``topics`` are those that it may write to, without prefix."""
        head = batch.head
        hop = self._pipeline.ledger.hop(EVENTS)
        asked = batch.numbers()
        hop.accept(len(asked))
        numbers = self._numbers.of(head.source, head.epoch)
        numbers.settle(head.settled)
        claim = numbers.claim(asked)
        rejected: list[Rejection] = []
        try:
            # They are counted from here on, whatever becomes of the rows: totals never count twice.
            taken = await add_totals(numbers, claim.fresh, rejected)
            rows = await _possible(batch, claim.fresh, topics, rejected)
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
        return Taken(taken, claim.known, later, rejected)

    def answer(
        self,
        taken: Taken,
        directives: Directives,
        *,
        wants_connections: bool = False,
        subscriptions: str | None = None,
    ) -> EventsAnswer:
        """Say of each number what became of it."""
        return EventsAnswer(
            collector=self.collector,
            replica=self._pipeline.replicas.own,
            accepted=ranges_of(taken.accepted),
            duplicates=ranges_of(taken.duplicates),
            later=ranges_of(taken.later),
            rejected=tuple(sorted(taken.rejected, key=lambda one: one.seq)),
            retry_after_ms=_RETRY_AFTER_MS if taken.later else 0,
            directives=directives,
            wants_connections=wants_connections,
            subscriptions=subscriptions,
        )

    async def _write(self, head: Head, sender: Sender, rows: Mapping[int, tuple[EventRow, bytes]]) -> list[Rejection]:
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


async def _possible(
    batch: EventBatch, fresh: frozenset[int], topics: Sequence[str], rejected: list[Rejection]
) -> dict[int, tuple[EventRow, bytes]]:
    """Return the rows that can be written, with their places; others are put in the list."""
    turns, origin = Turns(), origin_of(batch.head)
    possible: dict[int, tuple[EventRow, bytes]] = {}
    for seq, (row, line) in batch.rows.items():
        if seq not in fresh:
            continue
        await turns.pause_when_due()
        if row.topic not in topics:
            message = f"this collector writes {', '.join(topics)}, not {row.topic}"
            rejected.append(Rejection(seq=seq, reason="UnknownTopic", message=message))
        elif (trouble := trouble_with(line)) is not None:
            rejected.append(Rejection(seq=seq, reason="MalformedRow", message=trouble))
        elif (problem := place_problem(line, origin)) is not None:
            rejected.append(Rejection(seq=seq, reason="WrongPlace", message=problem))
        else:
            possible[seq] = (row, placed(line, origin))
    return possible


def _record(head: Head, sender: Sender, row: EventRow, line: bytes, topics: CollectorTopics) -> Record:
    headers = {
        record_headers.SCHEMA: SCHEMAS[row.topic],
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
    encoded: list[tuple[str, str | bytes | None]] = [(key, value.encode()) for key, value in headers.items()]
    # The registry has a field of the configuration for each topic that is written.
    name: str = getattr(topics, row.topic)
    return Record(name, row.key.encode("utf-8", "replace"), line, encoded)
