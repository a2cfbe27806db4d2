"""How a batch is processed: whose is it? known already? into the topic; only then to Prometheus; then answered."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from kwitness.collector.events import Event, Outcome, together
from kwitness.collector.failures import MisdirectedError, UnavailableError
from kwitness.collector.inventory.brokers import Broker
from kwitness.collector.inventory.client_pods import PodsOfClients
from kwitness.collector.ledger import PROMETHEUS, RECEIVE, TOPIC, Ledger
from kwitness.collector.privacy.privacy import Privacy
from kwitness.collector.sinks.otlp_forward import OtlpForward
from kwitness.collector.sinks.topic_writer import Record, TopicWriter
from kwitness.collector.state.collector_state import CollectorState
from kwitness.contracts.collector_config import CollectorTopics
from kwitness.contracts.envelopes import ConnectionSnapshot, GaugeSnapshot, Rejection

_TURN_S: Final = 0.01
_SLICE: Final = 100
_SLICE_BYTES: Final = 64 * 1024
"""Pushes that are applied without a turn for others, and bytes of them."""
_TOO_LARGE = "the record is larger than the topic {topic} takes (max.message.bytes)"


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Replicas(Protocol):
    """The other replicas of this collector."""

    def owner(self, key: str) -> int:
        """Return the ordinal that owns a key."""
        ...

    @property
    def own(self) -> int:
        """The ordinal of this one."""
        ...

    async def hand_over(self, ordinal: int, events: Sequence[Event]) -> Outcome:
        """Give events to their owner; raises `UnavailableError`."""
        ...

    async def hand_over_gauges(self, ordinal: int, snapshot: GaugeSnapshot) -> None:
        """Give a heartbeat to the replica that owns its cluster; raises `UnavailableError`."""
        ...


class Pipeline:
    """Processes batches; everything it changes is in `CollectorState` and `Ledger`."""

    def __init__(self, state: CollectorState, ledger: Ledger, replicas: Replicas, privacy: Privacy) -> None:
        self.state = state
        self.privacy = privacy
        self.ledger = ledger
        self.replicas = replicas
        self.writer: TopicWriter | None = None
        self.topics: CollectorTopics | None = None
        self.forwards: list[OtlpForward] = []
        self.duplicates = 0
        self.pods = PodsOfClients()

    async def accept_pushes(self, events: Sequence[Event], *, forwarded: bool) -> Outcome:
        """Accept a batch of one or several sources; a ``forwarded`` part is not handed on.

        Raises
        ------
        MisdirectedError
            If another replica owns something of a forwarded part: the two do not know the same number of replicas yet.
        UnavailableError
            If the sender has to send the whole batch again. What was taken of it is recognised then.
        """
        self.privacy.check()
        parts: defaultdict[int, list[Event]] = defaultdict(list)
        instance = self.privacy.instance
        for event in events:
            parts[self.replicas.owner(instance(event))].append(event)
        if forwarded and parts.keys() - {self.replicas.own}:
            raise _not_owned()
        hop = self.ledger.hop(RECEIVE)
        hop.accept(len(events))
        results = await asyncio.gather(
            *(self._process_at_owner(ordinal, part) for ordinal, part in parts.items()), return_exceptions=True
        )
        outcomes = [result for result in results if isinstance(result, Outcome)]
        for failure in results:
            if isinstance(failure, BaseException):
                hop.drop("returned", len(events))
                raise failure
        outcome = together(outcomes)
        hop.deliver(outcome.accepted)
        hop.drop("duplicate", outcome.duplicates)
        hop.drop("rejected", len(outcome.rejected))
        return outcome

    def refuse(self, count: int) -> None:
        """Note pushes that could not even be read from their envelope."""
        hop = self.ledger.hop(RECEIVE)
        hop.accept(count)
        hop.drop("rejected", count)

    def _process_at_owner(self, ordinal: int, part: list[Event]) -> Awaitable[Outcome]:
        return self._process_locally(part) if ordinal == self.replicas.own else self.replicas.hand_over(ordinal, part)

    async def _process_locally(self, events: list[Event]) -> Outcome:
        sources: defaultdict[tuple[str, int], list[Event]] = defaultdict(list)
        for event in events:
            sources[event.source, event.epoch].append(event)
        return together(
            [
                await (self._of_plain_otlp(part) if part[0].is_plain_otlp else self._of_source(*source, part))
                for source, part in sources.items()
            ]
        )

    async def _of_source(self, source: str, epoch: int, events: list[Event]) -> Outcome:
        window = self.state.seen.window(source, epoch)
        async with window.lock:
            fresh = {event.seq: event for event in events if event.seq not in window}
            return await self._take(list(fresh.values()), len(events) - len(fresh))

    async def _of_plain_otlp(self, events: list[Event]) -> Outcome:
        """Take parts of exports, any number of them at once: a replica numbered them, so no number comes twice."""
        fresh = self.state.contents.claim(events)
        try:
            return await self._take(fresh, len(events) - len(fresh))
        finally:
            self.state.contents.release(fresh)

    async def _take(self, events: list[Event], duplicates: int) -> Outcome:
        privacy = self.privacy
        placed = self._with_pods(events)
        new = await _treated(placed, privacy) if privacy.active else placed
        impossible = await self._write_pushes(new)
        taken = [event for index, event in enumerate(new) if index not in impossible]
        left_out = Counter[str]()
        began = time.monotonic()
        # What was applied is recognised, should the sender send it again because something stops this half way.
        for part in _slices(taken):
            if privacy is not self.privacy:
                # What is kept from here on is treated by the new settings alone.
                raise UnavailableError("SettingsChanged", "spec.filter or spec.identity changed meanwhile; try again")
            if any(self.replicas.owner(event.instance) != self.replicas.own for event in part):
                # It would come back where it was released from.
                raise UnavailableError("OwnerChanged", "spec.replicas changed meanwhile; try again")
            left_out.update(self._apply(part))
            if time.monotonic() > began + _TURN_S:
                await asyncio.sleep(0)
                began = time.monotonic()
        # What was rejected is not remembered as known: should this answer be lost, it is rejected again.
        self.duplicates += duplicates
        topic = self.topics.telemetry if self.topics else ""
        rejected = tuple(
            Rejection(seq=new[index].seq, reason="TooLarge", message=_TOO_LARGE.format(topic=topic))
            for index in impossible
        )
        return Outcome(len(taken), duplicates, rejected, left_out)

    def _with_pods(self, events: list[Event]) -> list[Event]:
        """Return pushes with the pods of their clients, where these are known by their addresses alone."""
        if not len(self.pods):
            return events
        return list(map(self._with_pod, events))

    def _with_pod(self, event: Event) -> Event:
        place = self.pods.place_of(f"{event.identity.get('cluster_id', '')}/{self.privacy.instance(event)}")
        return dataclasses.replace(event, identity={**event.identity, **place}, is_placed=True) if place else event

    async def _write_pushes(self, events: list[Event]) -> dict[int, str]:
        if self.writer is None or self.topics is None or not events:
            return {}
        topic = self.topics.telemetry
        hop = self.ledger.hop(TOPIC)
        hop.accept(len(events))
        written = [index for index, event in enumerate(events) if event.malformed is None]
        records = [
            Record(topic, event.instance.encode("utf-8", "replace"), event.payload, event.headers())
            for event in events
            if event.malformed is None
        ]
        try:
            impossible = await self.writer.write(records) if records else {}
        except BaseException:
            hop.drop("returned", len(events))
            raise
        hop.deliver(len(records) - len(impossible))
        hop.drop("too_large", len(impossible))
        # Of what cannot be read nothing could be filtered: see `Privacy.treat`.
        hop.drop("malformed", len(events) - len(records))
        return {written[index]: reason for index, reason in impossible.items()}

    def _apply(self, events: list[Event]) -> Mapping[str, int]:
        hop = self.ledger.hop(PROMETHEUS)
        hop.accept(len(events))
        applied = self.state.journal_and_apply(events, now_ms(), self._forward)
        malformed = sum(one.malformed is not None for one in applied)
        defects = sum(one.defect for one in applied)
        hop.deliver(len(events) - malformed - defects)
        hop.drop("malformed", malformed)
        hop.drop("defect", defects)
        left_out = Counter[str]()
        for one in applied:
            left_out.update(one.left_out)
        return left_out

    def _forward(self, event: Event, now_ms: int) -> None:
        cumulative: Event | None = None
        for forward in self.forwards:
            if "pushes" not in forward.config.sources:
                continue
            if forward.config.temporality == "cumulative":
                cumulative = cumulative or self.state.cumulative(event, now_ms)
                forward.offer(cumulative)
            else:
                forward.offer(event)

    async def accept_heartbeat(self, snapshot: GaugeSnapshot, *, forwarded: bool) -> None:
        """Accept a heartbeat of a broker's plugin; raises `UnavailableError` when its owner cannot be reached.

        A ``forwarded`` one that another replica owns raises `MisdirectedError`.
        """
        owner = self.replicas.owner(snapshot.cluster_id)
        if owner != self.replicas.own:
            if forwarded:
                raise _not_owned()
            await self.replicas.hand_over_gauges(owner, snapshot)
            return
        broker = self.state.brokers.record_heartbeat(self.privacy.heartbeat(snapshot), now_ms())
        await self._write_snapshot(broker)

    async def _write_snapshot(self, broker: Broker) -> None:
        if self.writer is None or self.topics is None or not broker.to_write(now_ms()):
            return
        snapshot = broker.snapshot
        record = ConnectionSnapshot(
            event_source=snapshot.source,
            event_epoch=snapshot.epoch,
            event_seq=snapshot.seq,
            cluster_id=snapshot.cluster_id,
            broker_id=snapshot.broker_id,
            sent_at_ms=snapshot.sent_at_ms,
            connections=snapshot.connections,
        )
        value = record.model_dump_json(by_alias=True, exclude_none=True).encode("utf-8", "replace")
        key = snapshot.source.encode("utf-8", "replace")
        try:
            impossible = await self.writer.write([Record(self.topics.connections, key, value)])
        except UnavailableError:
            # The heartbeat itself is taken: who is alive must be known even while Kafka is away. The next one writes.
            self.state.count_error("connections_topic")
            return
        if impossible:
            self.state.count_error("connections_too_large")
        broker.written, broker.written_ms = snapshot.connections, now_ms()


def _not_owned() -> MisdirectedError:
    return MisdirectedError("NotOwner", "another replica owns this; spec.replicas may just have changed")


def _slices(events: Iterable[Event]) -> Iterator[list[Event]]:
    part: list[Event] = []
    size = 0
    for event in events:
        part.append(event)
        size += len(event.payload)
        if len(part) >= _SLICE or size >= _SLICE_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


async def _treated(events: Iterable[Event], privacy: Privacy) -> list[Event]:
    """Treat events one by one; others have their turn meanwhile."""
    treated: list[Event] = []
    began = time.monotonic()
    for event in events:
        treated.append(await privacy.treat(event))
        if time.monotonic() > began + _TURN_S:
            await asyncio.sleep(0)
            began = time.monotonic()
    return treated
